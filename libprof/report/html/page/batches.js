// Who was in the batches, over time.

// Rows of decode below, of prefill on top of them.
function rowsChart(host, batches, times) {
  const both = batches.decode.map((decode, i) => (decode === null ? null : decode + batches.prefill[i]));
  const number = (value) => (value === null || value === undefined ? "–" : value.toFixed(1));
  addChart(
      host,
      (width) => new uPlot(
          chartOptions(
              width, 220,
              [
                {
                  label: "prefill rows",
                  stroke: PHASE_COLOURS.prefill,
                  fill: PHASE_COLOURS.prefill,
                  width: 0,
                  points: {show: false},
                  paths: uPlot.paths.stepped({align: 1}),
                  value: (_u, _v, _s, i) => number(batches.prefill[i])
                },
                {
                  label: "decode rows",
                  stroke: themeColour("series"),
                  fill: themeColour("series"),
                  width: 0,
                  points: {show: false},
                  paths: uPlot.paths.stepped({align: 1}),
                  value: (_, v) => number(v)
                },
                {
                  label: "requests waiting",
                  stroke: themeColour("ink"),
                  width: 1.5,
                  dash: [5, 4],
                  spanGaps: true,
                  points: {show: false},
                  value: (_, v) => number(v)
                },
              ],
              [axis(undefined, {size: 62})], {scales: {y: {range: (_u, _low, high) => [0, Math.max(1, high * 1.08)]}}}),
          [times, both, batches.decode, batches.waiting], host));
}

function loadChart(host, batches, times) {
  const hasKv = batches.kv_share.some((share) => share !== null);
  const shares = batches.kv_share.map((share) => (share === null ? null : 100 * share));
  addChart(
      host,
      (width) => new uPlot(
          chartOptions(
              width, 170,
              [
                {
                  label: "iteration length",
                  stroke: themeColour("series"),
                  width: 2,
                  spanGaps: true,
                  points: {show: false},
                  value: (_, ns) => duration(ns)
                },
                ...(hasKv ? [{
                  label: "KV cache in use",
                  scale: "share",
                  stroke: MARK_COLOURS.pink,
                  width: 1.5,
                  dash: [6, 3],
                  spanGaps: true,
                  points: {show: false},
                  value: (_, share) => (share === null ? "–" : `${share.toFixed(1)} %`)
                }] :
                            []),
              ],
              [
                axis((_, ticks) => ticks.map(tick), {size: 62}),
                ...(hasKv ? [axis(
                                (_, ticks) => ticks.map((share) => `${share} %`),
                                {scale: "share", side: 1, grid: {show: false}, size: 48})] :
                            [])
              ],
              {scales: {y: {range: (_u, _low, high) => [0, Math.max(1, high * 1.08)]}, share: {range: [0, 100]}}}),
          [times, batches.dur_ns, ...(hasKv ? [shares] : [])], host));
}

function iterationFigures(iterations) {
  const all = Math.max(iterations.count, 1), dummies = iterations.dummy;
  return figures([
    ["Iterations", count(iterations.count), dummies > 0 ? `and ${counted(dummies, "dummy one")}` : null],
    [
      "Graph replays", percent(iterations.graph / all),
      `${count(iterations.eager)} eager, ${count(iterations.piecewise)} piecewise`
    ],
    ["Mix prefill and decode", percent(iterations.mixed / all), `${count(iterations.mixed)} iterations`],
    ["Length, median", duration(iterations.dur_ns.p50_ns), `p99 ${duration(iterations.dur_ns.p99_ns)}`],
    ["GPU work, median", duration(iterations.gpu_ns.p50_ns), `p99 ${duration(iterations.gpu_ns.p99_ns)}`],
  ]);
}

// Nobody said the iterations; launches, graph replays and names of kernels did.
function inferredNode(iterations) {
  const {decode, prefill, mixed, unknown} = iterations.inferred;
  return [
    iterationFigures(iterations),
    empty(
        `These iterations are inferred from launches, graph replays and names of kernels, and so a guess: ${
            count(decode)} decode, ` +
        `${count(prefill)} prefill, ${count(mixed)} mix both, ${
            count(unknown)} cannot be told. Who was in them is not known.`)
  ];
}

function showBatches(data) {
  const batches = data.batches, iterations = data.report.iterations;
  const node = section(
      "batches", "Batch composition, over time", "Batches",
      "An iteration computes one batch: rows that decode one token each, and rows that prefill a part of a prompt. Prefill in the batch makes everybody's iteration longer.");
  if (batches.iterations.length === 0) {
    const none = () => empty("No iteration was recorded. Iterations are told by the engine's ranges (tier 1 or more).");
    add(node, null, [iterations.inferred ? inferredNode(iterations) : none()]);
    return;
  }
  node.append(iterationFigures(iterations));
  const times = binTimes(batches, batches.iterations.length);
  const chart = (id, label) => node.appendChild(chartHost(id, `${label}. Plus and minus zoom, 0 shows all.`));
  if (batches.decode.some((rows) => rows !== null))
    rowsChart(chart("batch-rows", "Rows of prefill and decode in the batch, over time"), batches, times);
  else
    node.append(empty("Who was in the batches was not recorded: the engine's batch annotation tells it (tier 3)."));
  loadChart(chart("batch-load", "Length of iterations and KV cache in use, over time"), batches, times);
  const unknown = batches.batch_unknown;
  node.append(el(
      "p", {class: "soft"},
      `Means over the iterations that began in each of ${counted(times.length, "bin")} of ${duration(batches.bin_ns)}.`,
      unknown > 0 ? ` The batch of ${counted(unknown, "iteration")} is not known; the rows are without them.` : ""));
}
