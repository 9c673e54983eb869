// What ran inside the replays of CUDA graphs, by the ranges it was captured in, and where graphs were missed.

const LISTED_RANGES = 12, MOST_RANGES = 100;

function rangesTable(ranges, whole) {
  const most = ranges[0].total_ns;
  return table(
      [
        {title: "captured in", wide: true}, {title: "GPU time"}, {title: "share"}, {title: "nodes", optional: true},
        {title: "longest", optional: true}, {title: "", meter: true, optional: true}
      ],
      ranges.map(
          (range) =>
              [el("span", {class: "mono"}, range.path || "no range"), duration(range.total_ns),
               percent(range.total_ns / whole), count(range.count), duration(range.max_ns),
               meter(range.total_ns, most, DEVICE_COLOURS.busy)]));
}

function opaqueList(opaque, words) {
  return opaque.map(
      (sum) =>
          el("p", null, labelText("opaque"),
             `: ${counted(sum.graphs, "graph")}, ${duration(sum.total_ns)}: ${
                 words[sum.reason] || nameText(sum.reason)}.`));
}

function insideReplays(graphs, words) {
  const whole = [...graphs.by_shape, ...graphs.opaque].reduce((sum, part) => sum + part.total_ns, 0);
  if (whole === 0) return empty("No graph was replayed.");
  const shapes = graphs.by_shape, each = graphs.ranges.slice(0, MOST_RANGES), left = graphs.ranges.length - each.length;
  return [
    shapes.length > 0 ? rangesTable(shapes.slice(0, LISTED_RANGES), whole) : null,
    shapes.length > LISTED_RANGES ?
        el("details", null, el("summary", null, counted(shapes.length - LISTED_RANGES, "more range")),
           rangesTable(shapes.slice(LISTED_RANGES, MOST_RANGES), whole)) :
        null,
    opaqueList(graphs.opaque, words),
    each.length > shapes.length ?
        el("details", null, el("summary", null, `Each by its number (${count(graphs.ranges.length)})`),
           rangesTable(each, whole),
           left > 0 ?
               el("p", {class: "soft"}, `${counted(left, "further range")} took less; --format=json lists 500.`) :
               null) :
        null
  ];
}

function eagerText(eager) {
  if (!eager) return null;
  if (eager.count === 0)
    return el("p", null, `All ${count(eager.of)} decode iterations of usual sizes replayed a graph.`);
  return el(
      "p", null,
      `${count(eager.count)} of ${count(eager.of)} decode iterations launched kernel by kernel where a graph is usual` +
          `${eager.longer_ns > 0 ? `, in all ${duration(eager.longer_ns)} longer` : ""}.`);
}

function buildsTable(builds) {
  if (builds.length === 0) return null;
  return table(
      [
        {title: "graphs and code made", text: true}, {title: "while serving"}, {title: "taking"},
        {title: "in all", optional: true}, {title: "taking", optional: true}, {title: "longest", optional: true}
      ],
      builds.map(
          (b) =>
              [nameText(b.kind), count(b.serving), duration(b.serving_ns), count(b.count), duration(b.total_ns),
               duration(b.max_ns)]));
}

function showGraphs(data) {
  const graphs = data.report.graphs, replays = data.report.coverage.graph_launches;
  const node = section(
      "graphs", "Inside CUDA graph replays", "Graphs",
      "GPU time of graph nodes by the ranges that were open when they were captured; # is any number, so that layers are added up.");
  if (replays === 0 && !graphs.by_shape)
    node.append(empty("No graph was replayed."));
  else if (!graphs.by_shape)
    node.append(empty(
        `${counted(replays, "graph replay")} were recorded whole, so that their inside is not known. `,
        el("code", null, "--graph=node"), " records it."));
  else
    add(node, null, [insideReplays(graphs, data.opaque_words)]);
  add(node, null, [eagerText(graphs.eager), buildsTable(graphs.builds)]);
}
