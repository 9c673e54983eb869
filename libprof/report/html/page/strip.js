// ITL over time: median, 99th percentile and longest gap of each bin, with every listed stall where it ended, by cause.

// Two tokens handed over together are a gap of next to nothing; the scale need not reach down to it.
function gapRange(low, high, median) {
  return uPlot.rangeLog(Math.max(low, median / 4, 1), Math.max(high, median * 2, 10), 10, false);
}

function stripChart(host, gaps, median, marks, onChoose) {
  const times = binTimes(gaps, gaps.count.length);
  const line = (label, stroke, width, dash) =>
      ({label, stroke, width, dash, spanGaps: true, points: {show: false}, value: (_, ns) => duration(ns)});
  return addChart(host, (width) => {
    const options = chartOptions(
        width, 260,
        [
          line("median", themeColour("series"), 2), line("p99", MARK_COLOURS.pink, 1.5, [6, 3]),
          line("longest", themeColour("soft"), 1)
        ],
        [axis((_, ticks) => ticks.map((ns) => (ns === null ? "" : tick(ns))), {size: 62})], {
          scales: {y: {distr: 3, range: (_, low, high) => gapRange(low, high, median)}},
          hooks: {draw: [(plot) => marks.draw(plot)]}
        });
    const plot = new uPlot(options, [times, gaps.p50_ns, gaps.p99_ns, gaps.max_ns], host);
    let pressedAt = 0;
    plot.over.addEventListener("mousedown", (event) => {
      pressedAt = event.clientX;
    });
    plot.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressedAt) > 4) return;  // it was a drag
      const group = marks.near(plot, event.offsetX, event.offsetY);
      if (group) onChoose(group.head);
    });
    plot.over.addEventListener("mousemove", (event) => {
      plot.over.style.cursor = marks.near(plot, event.offsetX, event.offsetY) ? "pointer" : "crosshair";
    });
    return plot;
  });
}

function causeLegend(tokens) {
  const causes = [...new Set(tokens.map((token) => token.cause))].sort((a, b) => CAUSES.indexOf(a) - CAUSES.indexOf(b));
  return el("ul", {class: "legend"}, causes.map((cause) => el("li", null, causeLabel(cause))));
}

// Arrow keys go from moment to moment, Enter to the story of the chosen one.
function stripKeys(event, marks, choose) {
  const by = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}[event.key];
  if (marks.groups.length === 0 || (by === undefined && event.key !== "Enter")) return;
  event.preventDefault();
  if (by !== undefined)
    choose(marks.next(by).head, false);
  else
    choose(marks.chosen || marks.groups[0].head, true);
}

function stripNotes(data, stalls, groups) {
  const bins = data.gaps;
  return el(
      "p", {class: "soft"},
      `${counted(data.report.itl.step.count, "gap")} in ${counted(bins.count.length, "bin")} of ${
          duration(bins.bin_ns)}: the lines are median, 99th percentile and longest gap of each. `,
      stalls.length < data.slow.stalls ?
          `Of ${count(data.slow.stalls)} stalls the worst ${count(stalls.length)} are marked. ` :
          null,
      groups.length < stalls.length ? "Stalls of one moment share a mark; × says how many there are. " : null,
      "Drag over a stretch of time to zoom in, double-click for all.");
}

function meanGap(data) {
  const itl = data.report.itl, order = timeOrder(data.gap_phases), parts = phaseParts(itl.phases_mean_ns, order);
  return [
    el("h3", null, "Where the mean gap goes"), stackedBar(parts, itl.step.mean_ns, "mean gap by phase", true),
    phaseLegend(parts.map((part) => part.name), GAP_WORDS), phaseTable(itl.phases, order, itl.step.mean_ns, GAP_WORDS)
  ];
}

function showStrip(data, chooser) {
  const itl = data.report.itl;
  const node = section(
      "itl", "Time between tokens, over time", "ITL",
      "A gap is the time from one emission of a request to its next. Shapes mark stalls, gaps over the threshold, by cause: click one for its timeline.");
  if (itl.step.count === 0) {
    node.append(empty("No gap was seen: no request emitted twice, or the engine does not tell of tokens."));
    return null;
  }
  const stalls = data.slow.list.filter((token) => token.kind === "gap"), groups = groupByMoment(stalls, data.slow.list);
  const marks = new StallMarks(groups);
  const host = chartHost(
      "strip",
      "Gaps over time. The left and right arrow keys go from stall to stall and show the timeline of each, Enter goes to its story, plus and minus zoom, 0 shows all.",
      (event) => stripKeys(event, marks, (token, goThere) => chooser.choose(token, goThere)));
  add(node, null, [
    spreadFigures(itl.step), host,
    stalls.length > 0 ? causeLegend(stalls) : empty(`No gap was a stall, judged by ${data.judged_by}.`),
    stripNotes(data, stalls, groups), meanGap(data)
  ]);
  const chart = stripChart(host, data.gaps, itl.step.p50_ns, marks, (token) => chooser.choose(token, true));
  chooser.listeners.push((token) => {
    marks.chosen = token;
    if (chart.plot) chart.plot.redraw(false);
  });
  return chart;
}
