// Why tokens were slow: how often each cause came, and what it cost.

function causesTable(rows, what) {
  const most = Math.max(...rows.map((row) => row.excess_ns));
  return table(
      [
        {title: "cause", text: true}, {title: what}, {title: "surely", optional: true}, {title: "longer by"},
        {title: "", meter: true}, {title: "which means", wide: true, optional: true}
      ],
      rows.map(
          (row) =>
              [causeLabel(row.cause, null, true), count(row.count), count(row.sure), duration(row.excess_ns),
               meter(row.excess_ns, most, causeLook(row.cause).colour), CAUSE_WORDS[row.cause] || ""]));
}

function showCauses(data) {
  const node = section(
      "causes", "Why tokens were slow", "Causes",
      "A gap is a stall, and a first token slow, if it took longer than the service level where one is given, else 2.5 times what is usual. “Surely”: the evidence was seen directly and covers the excess.");
  const {stalls, first_tokens: first} = data.causes;
  add(node, null, [
    el("h3", null, `Slow first tokens: ${count(data.slow.first_tokens)}`),
    first.length > 0 ? causesTable(first, "requests") : empty("None."),
    el("h3", null, `Stalls between tokens: ${count(data.slow.stalls)}`),
    stalls.length > 0 ? causesTable(stalls, "stalls") : empty("None.")
  ]);
}
