// The life of a request as a waterfall: its tokens one below the other in order of time, each to be opened for its
// phases one below the other, and for the iterations it shared.

// Which requests have one; a request may be called like a thing that every object has.
function waterfallOf(data, req) {
  return Object.hasOwn(data.waterfalls, req) ? data.waterfalls[req] : null;
}

// A bar from `start` on in a track of `whole`.
function placedBar(start, ns, whole, colour) {
  return el("div", {class: "bar", "aria-hidden": "true"}, el("span", {
              class: "placed",
              style: {"margin-left": widthOf(start, whole), width: widthOf(ns, whole), background: colour}
            }));
}

// steps: [[phase, start, ns]], one below the other.
function stepsTable(steps, whole, words) {
  return el(
      "div", {class: "steps"},
      table(
          [{title: "phase", text: true}, {title: "time"}, {title: "", meter: true}],
          steps.map(
              ([phase, start, ns]) =>
                  [el("span", {class: "cause"}, swatch(partColour(phase)),
                      term(nameText(phase), phaseMeaning(phase, words), true)),
                   duration(ns), placedBar(start, ns, whole, partColour(phase))])));
}

function iterationsMeanwhile(row, withTitle) {
  if (row.iterations.length === 0) return el("p", null, "No iteration was seen in this time.");
  const cut = row.iterations_all > row.iterations.length ? ` (the first ${row.iterations.length})` : "";
  return [
    el("h4", null, `Iterations meanwhile${cut}`),
    table(
        [
          {title: "iteration"}, {title: "at", optional: true}, {title: "length"}, {title: "GPU", optional: true},
          {title: "kind", text: true, roomy: true}, {title: "it", text: true}, {title: withTitle, wide: true}
        ],
        row.iterations.map(
            ([iter, from, length, gpu, kind, own,
              others]) => [String(iter), duration(from), duration(length), duration(gpu), kind, own, others]))
  ];
}

function gpuMeanwhile(row) {
  const kernels = row.kernels.map(([name, ns]) => `${name} ${duration(ns)}`).join(", ");
  return el(
      "p", null, `GPU: ${row.gpu}`,
      kernels === "" ? "." : [", most of it in ", el("span", {class: "mono"}, kernels), "."]);
}

class Waterfall {
  constructor(data, life, chooser) {
    this.data = data;
    this.life = life;
    this.chooser = chooser;
    this.whole = Math.max(life.whole_ns, ...life.rows.map((row) => row.start_ns + row.ns));
  }

  tokenOf(row) {
    return row.slow === null || row.slow === undefined ? null : this.data.slow.list[row.slow];
  }

  // Its phases where it was, on the scale of the whole request.
  track(row) {
    const parts =
        row.steps.map(([phase, , ns]) => el("i", {style: {width: widthOf(ns, row.ns), background: partColour(phase)}}));
    return el(
        "span", {class: "track", "aria-hidden": "true"},
        el("span", {style: {"margin-left": widthOf(row.start_ns, this.whole), width: widthOf(row.ns, this.whole)}},
           parts));
  }

  // What it holds is made when it is opened.
  row(row, open) {
    const token = this.tokenOf(row), look = token ? causeLabel(token.cause, token.confidence) : null;
    const inside = el("div", {class: "inside"});
    const fill = () => {
      if (inside.childElementCount === 0) add(inside, null, this.inside(row, token));
    };
    if (open) fill();
    return el(
        "details", {open, ontoggle: fill},
        el("summary", null, el("span", {class: "what"}, row.name, look ? [" ", look] : ""), this.track(row),
           el("span", {class: "took"}, duration(row.ns))),
        inside);
  }

  inside(row, token) {
    const words = row.first ? TTFT_WORDS : GAP_WORDS;
    return [
      row.lines.map((line) => el("p", null, `${line}.`)),
      row.steps.length > 0 ? [el("h4", null, "Where the time went"), stepsTable(row.steps, row.ns, words)] : null,
      row.iterations ? [iterationsMeanwhile(row, this.data.iterations_with), gpuMeanwhile(row)] : null,
      token ? el("p", null,
                 el("button", {type: "button", class: "link", onclick: () => this.chooser.choose(token, true)},
                    "The story and the timeline of this token")) :
              null
    ];
  }

  // Open: what deserves it most.
  node() {
    const excess = (row) => (this.tokenOf(row) ? this.tokenOf(row).excess_ns : -1);
    const worst = this.life.rows.reduce((a, b) => (excess(b) > excess(a) ? b : a), this.life.rows[0]);
    return el("div", {class: "waterfall"}, this.life.rows.map((row) => this.row(row, row === worst)));
  }
}
