// Moving through a timeline with the pointer and the keyboard.

function timelineKey(timeline, event) {
  const does = {
    ArrowLeft: () => timeline.pan(-.15),
    ArrowRight: () => timeline.pan(.15),
    "+": () => timeline.zoom(.5),
    "=": () => timeline.zoom(.5),
    "-": () => timeline.zoom(2),
    0: () => timeline.reset(),
    Home: () => timeline.reset(),
    n: () => timeline.step(1),
    p: () => timeline.step(-1),
    ArrowDown: () => timeline.stepLane(1),
    ArrowUp: () => timeline.stepLane(-1),
    Enter: () => timeline.enter(),
    Escape: () => timeline.escape()
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!does || event.ctrlKey || event.metaKey || event.altKey || !timeline.placed) return;
  event.preventDefault();
  does();
}

// What lies under the pointer: an event, or the name of a lane.
function timelineHover(timeline, event) {
  const found = timeline.find(event.offsetX, event.offsetY), tip = timeline.tip;
  const lane = event.offsetX < timeline.left ? timeline.laneAt(event.offsetY) : null;
  tip.hidden = !found && !lane;
  if (tip.hidden) return;
  tip.textContent = found ? timeline.text(found) : laneText(lane);
  const box = timeline.host.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
  tip.style.left = `${Math.max(4, Math.min(x + 12, box.width - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(4, Math.min(y + 16, box.height - tip.offsetHeight - 4))}px`;
}

// A plain wheel scrolls the page, as everywhere.
function timelineWheel(timeline, event) {
  const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
  if (!timeline.moment || (!event.ctrlKey && !event.metaKey && !sideways)) return;
  event.preventDefault();
  if (sideways)
    timeline.pan(event.deltaX / timeline.width);
  else
    timeline.zoom(event.deltaY > 0 ? 1.25 : .8, timeline.ns(event.offsetX));
}

function listenToDrag(timeline) {
  const canvas = timeline.canvas;
  let drag = null;
  const stop = () => {
    drag = null;
  };
  canvas.addEventListener("pointerdown", (event) => {
    drag = {x: event.clientX, from: timeline.from, moved: false};
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return timelineHover(timeline, event);
    const by = event.clientX - drag.x, length = timeline.to - timeline.from;
    if (Math.abs(by) > 3) drag.moved = true;
    if (drag.moved) timeline.moveTo(drag.from - (timeline.ns(timeline.left + by) - timeline.from), length);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag && !drag.moved) timeline.select(timeline.find(event.offsetX, event.offsetY));
    stop();
  });
  canvas.addEventListener("pointercancel", stop);
  canvas.addEventListener("pointerleave", () => {
    timeline.tip.hidden = true;
  });
}

function listenToTimeline(timeline) {
  const canvas = timeline.canvas;
  listenToDrag(timeline);
  canvas.addEventListener("keydown", (event) => timelineKey(timeline, event));
  canvas.addEventListener("dblclick", (event) => timeline.zoom(.4, timeline.ns(event.offsetX)));
  canvas.addEventListener("wheel", (event) => timelineWheel(timeline, event), {passive: false});
}
