// Why tokens were slow: how often each cause came, and what it cost.

// The worst token of a row's cause, to go to.
function worstOf(row, kind, data, chooser) {
  const [worst] = data.slow.list
                      .filter(
                          (token) => token.kind === kind && token.cause === row.cause &&
                              (row.few_samples === undefined || token.few_samples === row.few_samples))
                      .sort(worstFirst);
  if (!worst) return "–";
  const look = `The worst by ${nameText(row.cause)}: request ${worst.req}, ${tokenName(worst)}`;
  const choose = () => chooser.choose(worst, true);
  return el(
      "button", {type: "button", class: "link", title: look, "aria-label": look, onclick: choose},
      duration(worst.took_ns));
}

// `counts`: what is counted, [[title, name in a row, optional?]]; `worst` makes a cell of a row.
function causesTable(rows, counts, worst) {
  const most = Math.max(...rows.map((row) => row.excess_ns));
  const lost = (row, cell) => (row.few_samples ? "" : cell);
  return table(
      [
        {title: "cause", text: true}, ...counts.map(([title, , optional]) => ({title, optional})),
        {title: "surely", optional: true}, {title: "worst"}, {title: "time lost"}, {title: "", meter: true},
        {title: "which means", wide: true, roomy: true}
      ],
      rows.map(
          (row) => [
              [causeLabel(row.cause, null, true), row.few_samples ? ", first gaps" : ""],
              ...counts.map(([, name]) => count(row[name])), count(row.sure), worst(row),
              lost(row, duration(row.excess_ns)), lost(row, meter(row.excess_ns, most, causeLook(row.cause).colour)),
              CAUSE_WORDS[row.cause] || ""]));
}

// By what was judged: the service level, and who asked for it.
function levelText(levels, of, usual) {
  const level = levels[`${of}_ns`];
  if (level === null) return usual;
  return `${duration(level)}, the service level ${levels[`${of}_from`] === "run" ? "of the run" : "asked for"}`;
}

function showCauses(data, chooser) {
  const levels = data.report.service_levels;
  const node = section(
      "causes", "Why tokens were slow", "Causes",
      `A gap is a stall over ${
          levelText(levels, "itl", "2.5 times the running median and 5 ms")}; a first token is slow over ${
          levelText(levels, "ttft", "2.5 times the median of its prompt length and 5 ms")}.`);
  const {stalls, first_tokens: first} = data.causes;
  add(node, null, [
    el("h3", null, `Slow first tokens: ${count(data.slow.first_tokens)}`),
    first.length > 0 ? causesTable(first, [["requests", "count"]], (row) => worstOf(row, "first", data, chooser)) :
                       empty("None."),
    el("h3", null, `Stalls between tokens: ${count(data.slow.stalls)}`),
    stalls.length > 0 ? causesTable(
                            stalls, [["moments", "moments"], ["gaps", "count", true], ["requests", "requests", true]],
                            (row) => worstOf(row, "gap", data, chooser)) :
                        empty("None.")
  ]);
}
