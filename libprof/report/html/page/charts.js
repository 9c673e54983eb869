// What all charts over time share: uPlot with the page's colours, made anew when theme or width change.

const redraws = [];        // what must be done when the colours change
const charts = new Map();  // by where they lie

// make(width) returns a uPlot that lies in `host`.
function addChart(host, make) {
  const chart = {host, make, plot: null, width: 0};
  charts.set(host, chart);
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

// A place for a chart that the keyboard reaches: plus and minus zoom, 0 shows all; `onKey` sees the others.
function chartHost(id, label, onKey) {
  const host = el("div", {class: "chart", id, tabindex: "0", role: "group", "aria-label": label});
  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!zoomByKey(charts.get(host), event.key)) return onKey && onKey(event);
    event.preventDefault();
  });
  return host;
}

function zoomByKey(chart, key) {
  const factor = {"+": .5, "=": .5, "-": 2, 0: Infinity}[key];
  if (factor === undefined || !chart || !chart.plot) return false;
  const plot = chart.plot, times = plot.data[0], first = times[0], last = times[times.length - 1];
  const {min, max} = plot.scales.x, half = Math.min(((max - min) * factor) / 2, last - first);
  const middle = factor === Infinity ? (first + last) / 2 : (min + max) / 2;
  plot.setScale("x", {min: Math.max(middle - half, first), max: Math.min(middle + half, last)});
  return true;
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
