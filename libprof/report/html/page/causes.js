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

function showCauses(data, chooser) {
  const node = section("causes", "Why tokens were slow", "Causes", `Judged by ${data.judged_by}.`);
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
