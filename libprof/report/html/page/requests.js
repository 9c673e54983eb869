// The requests: a bar of phases for each, to sort, to filter, and to open for more.

class RequestList {
  constructor(data, chooser) {
    this.data = data;
    this.chooser = chooser;
    this.columns = data.requests.columns;
    this.order = timeOrder(data.ttft_phases);
    this.sort = {by: "arrival_ns", down: false};
    this.open = new Set();
    this.slow = new Map();
    for (const token of data.slow.list) this.slow.set(token.req, [...(this.slow.get(token.req) || []), token]);
    this.body = el("tbody", {id: "request-rows"});
    this.pages = new Pages(25, "request", () => this.update());
    this.makeControls();
    this.makeHead();
    this.update();
  }

  makeControls() {
    const changed = () => {
      this.pages.at = 0;
      this.update();
    };
    const causes = [...new Set(this.columns.cause.filter(Boolean))];
    this.text = el("input", {
      type: "search",
      id: "request-filter",
      placeholder: "request id",
      "aria-label": "Requests whose id holds this text",
      oninput: changed
    });
    this.only = choice(
        "Show",
        [
          ["", "all requests"], ["slow", "slow first token"], ["stall", "with stalls"],
          ["unfinished", "not finished well"], ...causes.map((cause) => [`cause:${cause}`, `slow: ${nameText(cause)}`])
        ],
        changed);
    this.scale = choice("Bars", [["whole", "whole request"], ["ttft", "time to first token"]], () => this.update());
    this.controls = el("div", {class: "controls"}, this.text, this.only.node, this.scale.node);
  }

  makeHead() {
    const column = (title, by, classes) =>
        el("th", {scope: "col", class: classes, "aria-sort": "none", "data-by": by},
           el("button", {type: "button", onclick: () => this.sortBy(by)}, title));
    this.head = el(
        "tr", null, column("request", "req", "text"), column("at", "arrival_ns", "optional"),
        el("th", {scope: "col", class: "text"}, "phases"), column("TTFT", "ttft_ns"),
        column("in all", "e2e_ns", "optional"), column("prompt", "prompt", "roomy"),
        column("tokens", "tokens", "roomy"), column("stalls", "stalls"), column("slow by", "cause", "text optional"));
  }

  // Numbers begin with the greatest, names and instants with the first.
  sortBy(by) {
    this.sort = {by, down: this.sort.by === by ? !this.sort.down : by !== "req" && by !== "arrival_ns"};
    this.pages.at = 0;
    this.update();
  }

  matches(i) {
    const {req, cause, stalls, finish} = this.columns, only = this.only.box.value;
    if (this.text.value && !req[i].includes(this.text.value.trim())) return false;
    if (only === "slow") return cause[i] !== null;
    if (only === "stall") return stalls[i] > 0;
    if (only === "unfinished") return !["stop", "length", "ended"].includes(finish[i]);
    return only.startsWith("cause:") ? cause[i] === only.slice(6) : true;
  }

  // Rows that match, sorted; what cannot be told comes last.
  listed() {
    const values = this.columns[this.sort.by], sign = this.sort.down ? -1 : 1;
    const compare = (a, b) => (a === b ? 0 : a === null ? 1 : b === null ? -1 : sign * (a < b ? -1 : 1));
    const rows = values.map((_, i) => i).filter((i) => this.matches(i));
    return rows.sort((a, b) => compare(values[a], values[b]) || a - b);
  }

  update() {
    for (const th of this.head.querySelectorAll("th[data-by]")) {
      const direction = this.sort.down ? "descending" : "ascending";
      th.setAttribute("aria-sort", th.dataset.by === this.sort.by ? direction : "none");
    }
    const shown = this.pages.cut(this.listed()), whole = this.scale.box.value === "whole";
    this.longest = Math.max(1, ...shown.map((i) => (whole ? this.columns.e2e_ns[i] : this.columns.ttft_ns[i] || 0)));
    this.body.replaceChildren(...shown.flatMap((i) => this.rows(i)));
    if (shown.length === 0)
      this.body.append(el("tr", null, el("td", {colspan: "9", class: "text"}, "No request matches.")));
  }

  bar(i) {
    const c = this.columns, parts = phaseParts(phasesOfRow(c.ttft_phases[i], this.data.ttft_phases), this.order);
    const after = c.ttft_ns[i] === null ? 0 : c.e2e_ns[i] - c.ttft_ns[i];
    if (this.scale.box.value === "whole" && after > 0) parts.push({name: "decode", ns: after});
    return stackedBar(parts, this.longest, `phases of ${c.req[i]}`);
  }

  toggle(i) {
    if (!this.open.delete(i)) this.open.add(i);
    this.update();
    this.body.querySelector(`[data-row="${i}"]`).focus();
  }

  rows(i) {
    const c = this.columns, open = this.open.has(i);
    const name =
        el("button", {
          type: "button",
          class: "link mono",
          title: c.req[i],
          "aria-expanded": String(open),
          "data-row": i,
          onclick: () => this.toggle(i)
        },
           `${open ? "▾" : "▸"} ${shortName(c.req[i])}`);
    const row =
        el("tr", null, el("td", {class: "text"}, name), el("td", {class: "optional"}, at(c.arrival_ns[i])),
           el("td", {class: "meter"}, this.bar(i)), el("td", null, duration(c.ttft_ns[i])),
           el("td", {class: "optional"}, duration(c.e2e_ns[i])), el("td", {class: "roomy"}, count(c.prompt[i])),
           el("td", {class: "roomy"}, count(c.tokens[i])), el("td", null, c.stalls[i] > 0 ? count(c.stalls[i]) : "–"),
           el("td", {class: "text optional"}, c.cause[i] ? causeLabel(c.cause[i]) : "–"));
    if (!open) return [row];
    const detail = requestDetail(this.data, i, this.slow.get(c.req[i]) || [], this.chooser);
    return [row, el("tr", {class: "request-detail"}, el("td", {colspan: "9"}, detail))];
  }

  node() {
    const whole = el("table", null, el("thead", null, this.head), this.body);
    return [this.controls, el("div", {class: "scroll"}, whole), this.pages.node];
  }
}

function showRequests(data, chooser) {
  const node = section(
      "requests", "Requests", "Requests",
      "Each bar is one request from its arrival: the phases of its first token, then the rest of its answer. Open one for what it waited for, one below the other.");
  const listed = data.requests.columns.req.length;
  if (listed === 0) {
    node.append(empty("No request was recorded: they are told by the engine's llmserve annotations (tier 2 or more)."));
    return;
  }
  const used = timeOrder(data.ttft_phases).filter((name) => data.report.ttft.phases_mean_ns[name] > 0);
  add(node, null, [
    phaseLegend([...used, "decode"], TTFT_WORDS), new RequestList(data, chooser).node(),
    listed < data.requests.total ?
        el("p", {class: "soft"},
           `Of ${count(data.requests.total)} requests the ${
               count(
                   listed)} with the slowest first tokens and the most stalls are listed; all other numbers are of all.`) :
        null
  ]);
}
