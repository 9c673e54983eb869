// Under which conditions was recorded, and what the recording cost.

const FACT_GROUPS = [
  ["Driver and GPU", ["driver.", "gpu.", "nvml."]], ["Engine", ["package.", "python."]], ["Libraries", ["library."]],
  ["Host", ["host."]], ["Limits", ["container.", "cgroup."]], ["slowtoken", ["slowtoken."]]
];

function factValue(name, values) {
  return values.map((value) => (name.endsWith("_bytes") && /^\d+$/.test(value) ? bytes(Number(value)) : value))
      .join(" or ");
}

function ownCost(overhead) {
  if (!overhead.worker_cpu_ns && !overhead.memory_bytes)
    return empty("The trace does not say what the recording cost (an older one, or an imported one).");
  return figures([
    ["Share of one core", percent(overhead.share), "worker and call-backs"],
    ["Worker", duration(overhead.worker_cpu_ns), "CPU time"],
    ["Call-backs", duration(overhead.callback_ns), "on the host's threads"],
    ["CUPTI itself", duration(overhead.cupti_overhead_ns), "as it states"],
    ["Memory", bytes(overhead.memory_bytes), "reserved"]
  ]);
}

function spansTable(report) {
  if (report.detail.length === 0) return null;
  return [
    el("h3", null, "Times of less than full detail"),
    table(
        [
          {title: "pid"}, {title: "from"}, {title: "to"}, {title: "level", text: true}, {title: "because", text: true},
          {title: "kept", text: true}
        ],
        report.detail.map(
            (s) =>
                [String(s.pid), at(s.start_ns), at(s.end_ns), s.level, s.reason,
                 s.keep_one_in ? `1 in ${s.keep_one_in} ${s.unit}` : "–"]))
  ];
}

function triggersTable(report) {
  if (report.triggers.length === 0) return null;
  return [
    el("h3", null, "Why detail was saved"),
    table(
        [
          {title: "at"}, {title: "trigger", text: true}, {title: "request", text: true}, {title: "waited"},
          {title: "limit"}
        ],
        report.triggers.map(
            (t) => [at(t.time_ns), nameText(t.kind), t.req || "–", duration(t.value_ns), duration(t.limit_ns)]))
  ];
}

function showConditions(data) {
  const report = data.report, conditions = report.conditions;
  const node = section(
      "conditions", "Conditions and own cost", "Conditions",
      "Numbers of two runs can be compared where these agree; slowtoken diff says what differs.");
  const labels = Object.entries(conditions.labels);
  const head = [
    ["Hosts", conditions.hosts.join(", ") || "–"], ["Runs", conditions.run_ids.join(", ") || "–"],
    ["slowtoken", conditions.slowtoken_versions.join(", ") || "–"],
    ["Graphs recorded as", conditions.graph_level || "–"],
    ["CUPTI", conditions.cupti_version > 0 ? String(conditions.cupti_version) : "–"], ...labels
  ];
  add(node, null,
      [el("h3", null, "What slowtoken cost"), ownCost(report.overhead), el("h3", null, "Recorded under"), facts(head)]);
  const known = Object.entries(conditions.facts);
  for (const [title, prefixes] of FACT_GROUPS) {
    const pairs = prefixes.flatMap(
        (prefix) =>
            known.filter(([name]) => name.startsWith(prefix))
                .map(([
                       name, values
                     ]) => [nameText(name.slice(prefix.length).replace(/_bytes$/, "")), factValue(name, values)]));
    if (pairs.length > 0)
      node.append(el("details", {open: pairs.length < 8}, el("summary", null, title), facts(pairs)));
  }
  if (known.length === 0)
    node.append(empty("The trace holds no conditions: it was recorded by an older slowtoken, or imported."));
  add(node, null, [spansTable(report), triggersTable(report)].flat());
}
