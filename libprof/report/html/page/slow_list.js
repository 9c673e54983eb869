// The slow tokens as a list to choose from, those that lost most time first; those of one moment are one row that
// opens.

const MOST_MEMBERS = 100;  // of a moment

class SlowList {
  constructor(tokens, choose) {
    this.all = tokens;
    this.tokens = [...tokens].sort(worstFirst);
    this.choose = choose;
    this.chosen = null;
    this.open = new Set();  // heads
    this.body = el("tbody", {id: "slow-rows"});
    this.pages = new Pages(8, "moment", () => this.draw());
    const changed = () => {
      this.pages.at = 0;
      this.draw();
    };
    const causes = [...new Set(this.tokens.map((token) => token.cause))];
    this.kind =
        choice("Show", [["", "stalls and first tokens"], ["gap", "stalls"], ["first", "slow first tokens"]], changed);
    this.cause = choice("Cause", [["", "any cause"], ...causes.map((cause) => [cause, nameText(cause)])], changed);
    this.draw();
  }

  // Groups of what is shown, the worst first.
  matching() {
    const kind = this.kind.box.value, cause = this.cause.box.value;
    const tokens = this.tokens.filter((token) => (!kind || token.kind === kind) && (!cause || token.cause === cause));
    return groupByMoment(tokens, this.all).sort((a, b) => worstFirst(a.head, b.head));
  }

  draw() {
    this.body.replaceChildren(...this.pages.cut(this.matching()).flatMap((group) => this.rows(group)));
  }

  rows(group) {
    const {head, tokens} = group;
    if (tokens.length === 1) return [this.row(head)];
    const open = this.open.has(head);
    return [
      this.row(head, this.opener(group, open)), ...(open ? tokens.slice(1, MOST_MEMBERS).map((t) => this.row(t)) : [])
    ];
  }

  opener(group, open) {
    return el(
        "button", {
          type: "button",
          class: "link",
          "aria-expanded": String(open),
          "aria-label": `${groupSize(group)} in one moment`,
          "data-head": this.all.indexOf(group.head),
          onclick: (event) => this.toggle(group.head, event.currentTarget.dataset.head)
        },
        `${open ? "▾" : "▸"} ${groupSize(group)}`);
  }

  toggle(head, place) {
    if (!this.open.delete(head)) this.open.add(head);
    this.draw();
    this.body.querySelector(`[data-head="${place}"]`).focus();
  }

  row(token, opener) {
    const choose = () => this.choose(token, true);
    return el(
        "tr", {class: token === this.chosen ? "chosen" : null},
        el("td", {class: "text"},
           el("button", {type: "button", class: "link mono", title: token.req, onclick: choose}, shortName(token.req))),
        el("td", {class: "text"}, tokenName(token)), el("td", {class: "optional"}, at(token.start_ns)),
        el("td", null, duration(token.took_ns)),
        el("td", {class: "roomy"}, token.few_samples ? "–" : duration(token.lost_ns)),
        el("td", {class: "text"}, causeLabel(token.cause, token.confidence)), el("td", {class: "text"}, opener || ""),
        el("td", {class: "text roomy"}, token.window === null ? "–" : "yes"));
  }

  node() {
    const column = (title, classes) => el("th", {scope: "col", class: classes}, labelText(title, true));
    const head =
        el("tr", null, column("request", "text"), column("token", "text"), column("at", "optional"), column("took"),
           column("time lost", "roomy"), column("cause", "text"), column("held up together", "text"),
           column("timeline", "text roomy"));
    return [
      el("div", {class: "controls"}, this.kind.node, this.cause.node),
      el("div", {class: "scroll"}, el("table", null, el("thead", null, head), this.body)), this.pages.node
    ];
  }

  mark(token) {
    this.chosen = token;
    this.pages.showPlace(this.matching().findIndex((group) => group.tokens.includes(token)));
    this.draw();
  }
}
