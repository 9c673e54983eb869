// The timeline of a moment: lanes of events that can be moved through and zoomed into, with pointer or keyboard.

const TOLD_AT_FIRST = "Shaded: what the slow token took. Times count from where it began to wait.";

class Timeline {
  // `leave`: what Escape does where nothing is selected.
  constructor(names, leave) {
    this.names = names;
    this.leave = leave;
    this.moment = null;
    this.selected = null;
    this.canvas = el("canvas", {
      class: "lanes",
      tabindex: "0",
      role: "application",
      "aria-label":
          "Timeline. Left and right move, plus and minus zoom, 0 shows all, N and P go from event to event, up and down from lane to lane, Enter goes closer to an event, Escape back."
    });
    this.axis = el("canvas", {class: "axis", "aria-hidden": "true"});
    this.tip = el("div", {class: "tip", hidden: true});
    this.told = el("p", {class: "told", "aria-live": "polite"});
    this.view = el("div", {class: "view"}, this.axis, this.canvas);
    this.host = el("div", {class: "timeline", id: "timeline"}, this.view, this.tip);
    listenToTimeline(this);
    new ResizeObserver(() => this.layOut()).observe(this.host);
  }

  controls() {
    const button = (text, label, does) =>
        el("button", {type: "button", "aria-label": label, title: label, onclick: does}, text);
    return el(
        "div", {class: "controls"}, button("+", "Zoom in", () => this.zoom(.5)),
        button("−", "Zoom out", () => this.zoom(2)), button("◀", "Earlier", () => this.pan(-.3)),
        button("▶", "Later", () => this.pan(.3)), button("Whole window", "Show the whole window", () => this.reset()),
        el("span", {class: "soft optional"}, "Drag to move, Ctrl + wheel to zoom, click an event; ",
           el("kbd", null, "?"), " shows the keys."));
  }

  // `token`: from and to when, in ns of the moment, is what this is about.
  show(moment, token) {
    this.moment = moment;
    this.token = token;
    this.selected = null;
    this.told.textContent = TOLD_AT_FIRST;
    this.reset();
    this.layOut();
    this.view.scrollTop = 0;
  }

  reset() {
    if (!this.moment) return;
    this.from = 0;
    this.to = this.moment.end_ns - this.moment.start_ns;
    this.draw();
  }

  layOut() {
    const width = this.host.clientWidth;
    if (!this.moment || width === 0) return;
    this.width = width;
    const above = width < 620;
    this.placed = layOut(this.moment, this.names, above);
    this.left = fitLabels(this.canvas.getContext("2d"), this.placed.lanes, width, above);
    this.height = this.placed.height + 6;
    sizeCanvas(this.canvas, width, this.height);
    sizeCanvas(this.axis, width, AXIS_HEIGHT);
    this.draw();
  }

  x(ns) {
    return this.left + ((ns - this.from) / (this.to - this.from)) * (this.width - this.left - 8);
  }

  ns(x) {
    return this.from + ((x - this.left) / (this.width - this.left - 8)) * (this.to - this.from);
  }

  // Makes the view `factor` times as long, with what is at `around` (ns) staying where it is.
  zoom(factor, around) {
    if (!this.moment) return;
    const whole = this.moment.end_ns - this.moment.start_ns;
    const length = Math.min(Math.max((this.to - this.from) * factor, 1000), whole);
    const middle = around === undefined ? (this.from + this.to) / 2 : around;
    const share = (middle - this.from) / (this.to - this.from);
    this.moveTo(middle - share * length, length);
  }

  pan(share) {
    if (this.moment) this.moveTo(this.from + share * (this.to - this.from), this.to - this.from);
  }

  moveTo(from, length) {
    const whole = this.moment.end_ns - this.moment.start_ns;
    this.from = Math.min(Math.max(from, 0), whole - length);
    this.to = this.from + length;
    this.draw();
  }

  draw() {
    if (this.placed && this.moment) paintTimeline(this);
  }

  laneAt(y) {
    return this.placed && this.placed.lanes.find((lane) => lane.name && y >= lane.y && y < lane.y + lane.height);
  }

  // The event at a point of the canvas, or null.
  find(x, y) {
    const lane = this.laneAt(y);
    if (!lane || x < this.left) return null;
    const row = Math.floor((y - lane.y - lane.top) / ROW_HEIGHT);
    const event = lane.events.find(
        (e) => e.row === row && this.x(e.start) - 2 <= x && x <= Math.max(this.x(e.end), this.x(e.start) + 1) + 2);
    return event ? {lane, event} : null;
  }

  text({lane, event}) {
    const took = duration(event.end - event.start), from = signed(event.start - this.token.from);
    return `${event.text}: ${took}, from ${from} (${lane.name})`;
  }

  select(found) {
    this.selected = found ? found.event : null;
    this.told.textContent = found ? this.text(found) : TOLD_AT_FIRST;
    this.draw();
  }

  all() {
    return this.placed.lanes.flatMap((lane) => lane.events.map((event) => ({lane, event})));
  }

  goTo(found) {
    if (!found) return;
    const {event, lane} = found;
    const top = lane.y + lane.top + event.row * ROW_HEIGHT, room = this.view.clientHeight - AXIS_HEIGHT;
    if (top < this.view.scrollTop) this.view.scrollTop = top - GROUP_HEIGHT;
    if (top + ROW_HEIGHT > this.view.scrollTop + room) this.view.scrollTop = top + ROW_HEIGHT + 6 - room;
    if (event.end < this.from || event.start > this.to)
      this.moveTo(event.start - (this.to - this.from) / 4, this.to - this.from);
    this.select(found);
  }

  // Goes `by` events on, from lane to lane.
  step(by) {
    const all = this.all(), now = all.findIndex(({event}) => event === this.selected);
    this.goTo(all[Math.min(Math.max(now + by, 0), all.length - 1)]);
  }

  // Goes to the first event of the lane `by` further down.
  stepLane(by) {
    const all = this.all(), lanes = [...new Set(all.map(({lane}) => lane))];
    const now = lanes.findIndex((lane) => lane.events.includes(this.selected));
    const lane = lanes[Math.min(Math.max(now + by, 0), lanes.length - 1)];
    this.goTo(all.find((found) => found.lane === lane));
  }

  // What Enter does: closer to the selected event, or to the first one that can be seen.
  enter() {
    if (!this.selected) return this.goTo(this.all().find(({event}) => event.end > this.from && event.start < this.to));
    const {start, end} = this.selected,
                  length = Math.min(Math.max(2 * (end - start), 1000), this.moment.end_ns - this.moment.start_ns);
    this.moveTo((start + end - length) / 2, length);
  }

  escape() {
    if (this.selected)
      this.select(null);
    else
      this.leave();
  }
}
