// Numbers for people, in the words of the text report. A number and its unit stay on one line.

const NO_BREAK = "\u00a0";

// Three significant digits, without an exponent.
function three(value) {
  return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
}

function duration(ns) {
  if (ns === null || ns === undefined) return "–";
  if (ns === 0) return "0";
  if (ns < 1e3) return `${Math.round(ns)}${NO_BREAK}ns`;
  if (ns < 999.5e3) return `${three(ns / 1e3)}${NO_BREAK}µs`;
  if (ns < 999.5e6) return `${three(ns / 1e6)}${NO_BREAK}ms`;
  if (ns < 120e9) return `${three(ns / 1e9)}${NO_BREAK}s`;
  const seconds = Math.floor(ns / 1e9);
  const two = (value) => String(value).padStart(2, "0");
  if (seconds < 7200) return `${Math.floor(seconds / 60)}${NO_BREAK}m${NO_BREAK}${two(seconds % 60)}${NO_BREAK}s`;
  if (seconds < 360000)
    return `${Math.floor(seconds / 3600)}${NO_BREAK}h${NO_BREAK}${two(Math.floor(seconds / 60) % 60)}${NO_BREAK}m`;
  return `${Math.floor(seconds / 86400)}${NO_BREAK}d`;
}

function count(value) {
  return value === null || value === undefined ? "–" : String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

// "1 stall", "9 stalls".
function counted(value, one, many) {
  return `${count(value)} ${value === 1 ? one : many || one + "s"}`;
}

function percent(share) {
  if (share === null || share === undefined || Number.isNaN(share)) return "–";
  return share > 0 && share < 0.0005 ? `<0.1${NO_BREAK}%` : `${(100 * share).toFixed(1)}${NO_BREAK}%`;
}

function rate(perSecond) {
  return perSecond === null ? "–" : three(perSecond);
}

function bytes(value) {
  if (value < 1024) return `${value}${NO_BREAK}B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let unit = -1;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${three(value)}${NO_BREAK}${units[unit]}`;
}

// An instant, to the millisecond: time since the report's origin.
function at(ns) {
  const ms = Math.round(ns / 1e6), seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(3)}${NO_BREAK}s`;
  const two = (value) => String(value).padStart(2, "0");
  const rest = `${two(seconds % 60)}.${String(ms % 1000).padStart(3, "0")}`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${rest}`;
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${rest}`;
}

// For an axis: without zeros behind the point.
function tick(ns) {
  return duration(ns).replace(/(\.\d*?)0+(?=\s)/, "$1").replace(/\.(?=\s)/, "");
}

// A time before or after something.
function signed(ns) {
  return `${ns < 0 ? "−" : "+"}${duration(Math.abs(ns))}`;
}
