// The slow tokens as a list to choose from, the greatest excess first.

class SlowList {
  constructor(tokens, choose) {
    this.tokens = [...tokens].sort((a, b) => b.excess_ns - a.excess_ns);
    this.choose = choose;
    this.chosen = null;
    this.body = el("tbody");
    this.pages = new Pages(8, "slow token", () => this.draw());
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

  matching() {
    const kind = this.kind.box.value, cause = this.cause.box.value;
    return this.tokens.filter((token) => (!kind || token.kind === kind) && (!cause || token.cause === cause));
  }

  draw() {
    this.body.replaceChildren(...this.pages.cut(this.matching()).map((token) => this.row(token)));
  }

  row(token) {
    const choose = () => this.choose(token, true);
    return el(
        "tr", {class: token === this.chosen ? "chosen" : null},
        el("td", {class: "text"},
           el("button", {type: "button", class: "link mono", onclick: choose}, shortName(token.req))),
        el("td", {class: "text"}, token.kind === "first" ? "first token" : `token ${token.n}`),
        el("td", {class: "optional"}, at(token.start_ns)), el("td", null, duration(token.took_ns)),
        el("td", {class: "optional"}, `+${duration(token.excess_ns)}`),
        el("td", {class: "text"}, causeLabel(token.cause, token.confidence)),
        el("td", {class: "text optional"}, token.window === null ? "–" : "yes"));
  }

  node() {
    const column = (title, classes) => el("th", {scope: "col", class: classes}, title);
    const head =
        el("tr", null, column("request", "text"), column("token", "text"), column("at", "optional"), column("took"),
           column("longer than usual", "optional"), column("cause", "text"), column("timeline", "text optional"));
    return [
      el("div", {class: "controls"}, this.kind.node, this.cause.node),
      el("div", {class: "scroll"}, el("table", null, el("thead", null, head), this.body)), this.pages.node
    ];
  }

  mark(token) {
    this.chosen = token;
    this.pages.showPlace(this.matching().indexOf(token));
    this.draw();
  }
}
