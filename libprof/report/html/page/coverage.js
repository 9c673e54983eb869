// How far the rest of the page can be trusted: before any other number.

function coverageBadge(coverage) {
  const text = coverage.complete ? "Complete: nothing was lost" : "Incomplete: some numbers rest on missing records";
  return el(
      "span", {class: coverage.complete ? "badge good" : "badge bad"},
      el("span", {"aria-hidden": "true"}, coverage.complete ? "✓" : "!"), text);
}

function textList(texts, className) {
  return texts.length === 0 ? null : el("ul", {class: className}, texts.map((text) => el("li", null, text)));
}

function coverageFigures(coverage) {
  const dropped = Object.values(coverage.dropped).reduce((sum, n) => sum + n, 0);
  return figures([
    ["Tier", `${coverage.tier} of 3`, TIERS[coverage.tier]],
    [
      "Kernels recorded", count(coverage.kernels),
      coverage.seen ? `of ${count(coverage.seen.kernels)} seen: the detail is a sample` : null
    ],
    [
      "Launches with GPU work", coverage.launches === 0 ? "–" : percent(coverage.launches_matched / coverage.launches),
      `${count(coverage.launches_matched)} of ${count(coverage.launches)}`
    ],
    [
      "Graph launches", count(coverage.graph_launches),
      coverage.graph_nodes_missing > 0 ? `about ${count(coverage.graph_nodes_missing)} records missing` : null
    ],
    dropped === 0 && coverage.missing.includes("losses") ?
        ["Dropped", "?", "not known"] :
        ["Dropped", count(dropped), dropped === 0 ? "nothing" : "by cause below"],
    ["Blind", duration(coverage.blind_ns), coverage.blind_ns === 0 ? "never" : "GPU records were not taken"],
    ["Unattributed", percent(coverage.unattributed_share), "of all TTFT and gaps"],
  ]);
}

function lossTable(coverage) {
  const rows = [
    ...Object.entries(coverage.dropped).map(([cause, n]) => ["dropped", nameText(cause), count(n)]),
    ...Object.entries(coverage.blind_by).map(([reason, ns]) => ["blind", nameText(reason), duration(ns)])
  ];
  if (rows.length === 0) return null;
  return table([{title: "loss", text: true}, {title: "cause", text: true}, {title: "how much"}], rows);
}

function sourcesTable(coverage) {
  const processes = coverage.processes.map((p, i) => [String(i), p.role || "?", String(p.pid), p.file, [
                                             p.running       ? "still running" :
                                                 p.clean_end ? "ended and closed its file" :
                                                               "was killed: whole up to its last chunk",
                                             p.damage > 0 ? `, ${counted(p.damage, "damage")}` : ""
                                           ].join("")]);
  const sources = coverage.sources.map(
      (s) =>
          [String(s.process), s.source, nameText(s.state), s.version > 0 ? String(s.version) : "–", s.detail || "–"]);
  return el(
      "details", null, el("summary", null, `Processes (${processes.length}) and recorders (${sources.length})`),
      table(
          [
            {title: "#"}, {title: "role", text: true}, {title: "pid"}, {title: "file", text: true, optional: true},
            {title: "end", wide: true}
          ],
          processes),
      sources.length === 0 ? null :
                             table(
                                 [
                                   {title: "process"}, {title: "recorder", text: true}, {title: "state", text: true},
                                   {title: "version", optional: true}, {title: "why", wide: true}
                                 ],
                                 sources));
}

function showCoverage(report) {
  const coverage = report.coverage;
  const node = section(
      "coverage", "Coverage and losses", "Coverage", "Read this first: it says how far the rest can be trusted.");
  const lacks = coverage.missing.map((word) => `Not recorded: ${MISSING_WORDS[word] || nameText(word)}.`);
  const more = coverage.next_tier ? [`To see more: ${coverage.next_tier}.`] : [];
  const losses = lossTable(coverage);
  add(node, null, [
    textList(coverage.warnings, "warnings"), textList([...coverage.notes, ...lacks, ...more], "warnings notes"),
    coverageFigures(coverage), losses, sourcesTable(coverage)
  ]);
}
