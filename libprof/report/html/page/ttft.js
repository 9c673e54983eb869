// Distributions by phase: of the time to first token, and of the gaps between tokens.

function phaseTable(distributions, order, wholeMean, words) {
  const names = order.filter((name) => distributions[name] && distributions[name].mean_ns > 0);
  return table(
      [
        {title: "phase", text: true}, {title: "mean"}, {title: "share"}, {title: "p50", optional: true},
        {title: "p90", optional: true}, {title: "p99"}, {title: "", meter: true}
      ],
      names.map((name) => {
        const phase = distributions[name];
        return [
          el("span", {class: "cause"}, swatch(partColour(name)), term(nameText(name), phaseMeaning(name, words), true)),
          duration(phase.mean_ns), percent(phase.mean_ns / wholeMean), duration(phase.p50_ns), duration(phase.p90_ns),
          duration(phase.p99_ns), meter(phase.mean_ns, wholeMean, partColour(name))
        ];
      }));
}

function spreadFigures(d) {
  return figures([
    ["mean", duration(d.mean_ns)], ["p50", duration(d.p50_ns)], ["p90", duration(d.p90_ns)],
    ["p99", duration(d.p99_ns)], ["longest", duration(d.max_ns)]
  ]);
}

// The textbook sum: docs/METRICS.md says which phases it rolls up.
function textbookSum(means) {
  const sum = (...names) => names.reduce((total, name) => total + (means[name] || 0), 0);
  const parts = [
    ["queue", sum("queue", "kv_wait", "handoff")], ["tokenize", sum("tokenize")],
    ["schedule", sum("schedule", "submit", "backlog")], ["prefill", sum("prefill", "prefill_wait", "preempted")],
    ["sample", sum("sample", "commit_wait")], ["transport", sum("transport")]
  ];
  return `As the textbook adds it up: ${parts.map(([name, ns]) => `${name} ${duration(ns)}`).join(" + ")}.`;
}

function showTtft(data) {
  const ttft = data.report.ttft;
  const node = section(
      "ttft", "Time to first token, by phase", "TTFT",
      "From the arrival of a request to the moment its first token was handed over. The phases of each request add up to its TTFT exactly.");
  if (ttft.count === 0) {
    node.append(empty(
        "No first token was seen. Either no request came, or the engine does not tell of requests (tier 2 or more is needed)."));
    return;
  }
  const order = timeOrder(data.ttft_phases);
  const reasons =
      Object.entries(ttft.queue_by_mean_ns)
          .map(([reason, ns]) => `${reason === "other" ? "no reason given" : nameText(reason)} ${duration(ns)}`);
  const parts = phaseParts(ttft.phases_mean_ns, order);
  add(node, null, [
    spreadFigures(ttft), el("h3", null, "Where the mean goes"),
    stackedBar(parts, ttft.mean_ns, "mean TTFT by phase", true),
    phaseLegend(parts.map((part) => part.name), TTFT_WORDS), phaseTable(ttft.phases, order, ttft.mean_ns, TTFT_WORDS),
    el("p", {class: "soft"}, textbookSum(ttft.phases_mean_ns)),
    reasons.length > 0 ?
        el("p", {class: "soft"}, `Waiting in the queue by the engine's reason, mean: ${reasons.join(", ")}.`) :
        null,
    ttft.over_slo > 0 ? el("p", null, `${count(ttft.over_slo)} requests were over the service level.`) : null
  ]);
}
