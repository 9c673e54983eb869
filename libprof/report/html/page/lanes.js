// From the data of a moment to rows on the screen: which event lies on which row of its lane, and where the lane lies.

const GROUPS = {
  requests: "Requests",
  iterations: "Iterations",
  threads: "CPU threads",
  api: "CUDA calls",
  streams: "GPU streams",
  collectives: "Collectives"
};
const GROUP_HEIGHT = 24, ROW_HEIGHT = 18, MOST_ROWS = 6;

// Events of a lane that overlap get rows of their own, in order of start; so a call lies below the range around it.
function laneEvents(lane, names) {
  const events = [], rowEnds = [];
  for (let i = 0; i < lane.events.length; i += 3) {
    const [start, length, name] = lane.events.slice(i, i + 3);
    let row = rowEnds.findIndex((end) => end <= start);
    if (row === -1) row = Math.min(rowEnds.length, MOST_ROWS - 1);
    rowEnds[row] = start + length;
    const [text, kind] = names[name];
    events.push({start, end: start + length, row, text, kind});
  }
  return {events, rows: Math.max(rowEnds.length, 1)};
}

// Lanes with their places. Where the page is narrow the name of a lane stands above it, else beside it.
function layOut(moment, names, above) {
  const lanes = [];
  let y = 0, group = "";
  for (const lane of moment.lanes) {
    if (lane.group !== group) {
      group = lane.group;
      lanes.push({heading: GROUPS[group], y, height: GROUP_HEIGHT, events: []});
      y += GROUP_HEIGHT;
    }
    const {events, rows} = laneEvents(lane, names);
    const top = above ? 15 : 0, height = top + rows * ROW_HEIGHT + 3;
    lanes.push({
      name: lane.name.trim(),
      indent: lane.name.startsWith(" ") ? 20 : 8,
      left_out: lane.left_out,
      events,
      y,
      top,
      height
    });
    y += height;
  }
  return {lanes, height: y};
}

// The moment with the lanes of this request first, and of the others that were slow in it a few.
function requestsFirst(moment, req) {
  const ofRequests = moment.lanes.filter((lane) => lane.group === "requests");
  const others = [...new Set(ofRequests.map((lane) => lane.req))].filter((other) => other !== req);
  const shown = [req, ...others].slice(0, 3).flatMap((one) => ofRequests.filter((lane) => lane.req === one));
  return {...moment, lanes: [...shown, ...moment.lanes.filter((lane) => lane.group !== "requests")]};
}

// Round distances for the ticks of an axis: about `wanted` of them.
function tickStep(span, wanted) {
  const raw = span / Math.max(wanted, 1), power = 10 ** Math.floor(Math.log10(raw));
  return power * [1, 2, 5, 10].find((step) => step * power >= raw);
}
