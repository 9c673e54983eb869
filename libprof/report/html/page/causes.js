// Why tokens were slow: how often each cause came, and what it cost.

// `counts`: what is counted, [[title, name in a row, optional?]].
function causesTable(rows, counts) {
  const most = Math.max(...rows.map((row) => row.excess_ns));
  return table(
      [
        {title: "cause", text: true}, ...counts.map(([title, , optional]) => ({title, optional})),
        {title: "surely", optional: true}, {title: "time lost"}, {title: "", meter: true},
        {title: "which means", wide: true, optional: true}
      ],
      rows.map(
          (row) => [
              [causeLabel(row.cause, null, true), row.few_samples ? ", first gaps" : ""],
              ...counts.map(([, name]) => count(row[name])), count(row.sure),
              row.few_samples ? "" : duration(row.excess_ns),
              row.few_samples ? "" : meter(row.excess_ns, most, causeLook(row.cause).colour),
              CAUSE_WORDS[row.cause] || ""]));
}

// By what was judged: the service level, and who asked for it.
function levelText(levels, of, usual) {
  const level = levels[`${of}_ns`];
  if (level === null) return usual;
  return `${duration(level)}, the service level ${levels[`${of}_from`] === "run" ? "of the run" : "asked for"}`;
}

function showCauses(data) {
  const levels = data.report.service_levels;
  const node = section(
      "causes", "Why tokens were slow", "Causes",
      `A gap is a stall over ${
          levelText(levels, "itl", "2.5 times the running median and 5 ms")}; a first token is slow over ${
          levelText(levels, "ttft", "2.5 times the median of its prompt length and 5 ms")}.`);
  const {stalls, first_tokens: first} = data.causes;
  add(node, null, [
    el("h3", null, `Slow first tokens: ${count(data.slow.first_tokens)}`),
    first.length > 0 ? causesTable(first, [["requests", "count"]]) : empty("None."),
    el("h3", null, `Stalls between tokens: ${count(data.slow.stalls)}`),
    stalls.length > 0 ?
        causesTable(stalls, [["moments", "moments"], ["gaps", "count"], ["requests", "requests", true]]) :
        empty("None.")
  ]);
}
