// What all charts over time share: uPlot with the page's colours, made anew when theme or width change.

const redraws = [];  // what must be done when the colours change

// make(width) returns a uPlot that lies in `host`.
function addChart(host, make) {
  const chart = {host, make, plot: null, width: 0};
  redraws.push(() => drawChart(chart, true));
  new ResizeObserver(() => drawChart(chart, false)).observe(host);
  return chart;
}

function drawChart(chart, again) {
  const width = Math.floor(chart.host.clientWidth);
  if (width === 0 || (width === chart.width && !again)) return;
  chart.width = width;
  if (chart.plot && !again) {
    chart.plot.setSize({width, height: chart.plot.height});
    return;
  }
  if (chart.plot) chart.plot.destroy();
  chart.plot = chart.make(width);
}

function redrawAll() {
  themeColours.clear();
  for (const redraw of redraws) redraw();
}

function axis(values, more) {
  return {
    stroke: themeColour("soft"),
    grid: {stroke: themeColour("line"), width: 1},
    ticks: {stroke: themeColour("line"), width: 1},
    font: "12px system-ui, sans-serif",
    values,
    ...more
  };
}

// Options that all have. x is in seconds since the report's origin.
function chartOptions(width, height, series, axes, more) {
  return {
    width,
    height,
    scales: {x: {time: false}, ...(more && more.scales)},
    legend: {live: true},
    padding: [12, 12, 0, 0],
    cursor: {drag: {x: true, y: false}, sync: {key: "time", setSeries: false}, points: {size: 6}},
    series: [{label: "at", value: (_, x) => (x === null ? "–" : at(1e9 * x))}, ...series],
    axes: [axis((_, ticks) => ticks.map((x) => tick(1e9 * x))), ...axes],
    hooks: (more && more.hooks) || {}
  };
}

// The middles of bins, in seconds.
function binTimes(bins, n) {
  return Array.from({length: n}, (_, i) => (bins.start_ns + (i + .5) * bins.bin_ns) / 1e9);
}
