// The timeline of a moment: lanes of events that can be moved through and zoomed into, with pointer or keyboard.

class Timeline {
  constructor(names) {
    this.names = names;
    this.moment = null;
    this.selected = null;
    this.canvas = el("canvas", {
      tabindex: "0",
      role: "application",
      "aria-label":
          "Timeline. Left and right move, plus and minus zoom, 0 shows all, N and P go from event to event, up and down from lane to lane."
    });
    this.tip = el("div", {class: "tip", hidden: true});
    this.told = el("p", {class: "soft told", "aria-live": "polite"});
    this.view = el("div", {class: "view"}, this.canvas);
    this.host = el("div", {class: "timeline", id: "timeline"}, this.view, this.tip);
    listenToTimeline(this);
    new ResizeObserver(() => this.layOut()).observe(this.host);
  }

  controls() {
    const button = (text, label, does) => el("button", {type: "button", "aria-label": label, onclick: does}, text);
    return el(
        "div", {class: "controls"}, button("+", "zoom in", () => this.zoom(.5)),
        button("−", "zoom out", () => this.zoom(2)), button("◀", "earlier", () => this.pan(-.3)),
        button("▶", "later", () => this.pan(.3)), button("Whole window", "show the whole window", () => this.reset()),
        el("span", {class: "soft optional"},
           "Drag to move, Ctrl + wheel to zoom; with the keyboard: ← → + − 0, N and P from event to event."));
  }

  // `token`: from and to when, in ns of the moment, is what this is about.
  show(moment, token) {
    this.moment = moment;
    this.token = token;
    this.selected = null;
    this.told.textContent = "";
    this.reset();
    this.layOut();
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
    this.left = width < 620 ? 8 : 190;
    this.placed = layOut(this.moment, this.names, width < 620);
    this.height = AXIS_HEIGHT + this.placed.height + 6;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.height = `${this.height}px`;
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
    if (this.placed && this.moment) paintTimeline(this.canvas.getContext("2d"), this);
  }

  // The event at a point of the canvas, or null.
  find(x, y) {
    if (!this.placed || x < this.left) return null;
    const lane = this.placed.lanes.find(
        (l) => l.events.length > 0 && y >= AXIS_HEIGHT + l.y && y < AXIS_HEIGHT + l.y + l.height);
    if (!lane) return null;
    const row = Math.floor((y - AXIS_HEIGHT - lane.y - lane.top) / ROW_HEIGHT);
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
    this.told.textContent = found ? this.text(found) : "";
    this.draw();
  }

  all() {
    return this.placed.lanes.flatMap((lane) => lane.events.map((event) => ({lane, event})));
  }

  goTo(found) {
    if (!found) return;
    const {event} = found;
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
}
