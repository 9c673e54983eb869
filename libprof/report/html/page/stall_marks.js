// The marks of stalls in the chart of gaps, one for each moment, where its worst gap ended, with the shape and colour
// of its cause; beside it how many tokens it held up.

const NUMBER_WIDTH = 34, NUMBER_HEIGHT = 12;

// Whether no later mark lies where the number of this one would stand. Marks are in order of time.
function hasRoom(places, i, scale) {
  const [x, y] = places[i];
  for (let next = i + 1; next < places.length && places[next][0] < x + NUMBER_WIDTH * scale; ++next) {
    if (Math.abs(places[next][1] - y) < NUMBER_HEIGHT * scale) return false;
  }
  return true;
}

class StallMarks {
  constructor(groups) {
    this.groups = groups;
    this.chosen = null;  // a token
  }

  place(plot, {start_ns: start, took_ns: took}) {
    return [plot.valToPos((start + took) / 1e9, "x", true), plot.valToPos(took, "y", true)];
  }

  draw(plot) {
    const context = plot.ctx, scale = window.devicePixelRatio || 1, {left, top, width, height} = plot.bbox;
    context.save();
    context.beginPath();
    context.rect(left, top - 6 * scale, width, height + 12 * scale);
    context.clip();
    context.font = `${11 * scale}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const places = this.groups.map((group) => this.place(plot, group.head));
    this.groups.forEach((group, i) => this.drawMark(plot, group, places[i], scale, hasRoom(places, i, scale)));
    context.restore();
  }

  drawMark(plot, group, [x, y], scale, numbered) {
    const context = plot.ctx, look = causeLook(group.head.cause);
    drawShape(context, look.shape, x, y, 5 * scale);
    context.fillStyle = look.colour;
    context.fill();
    context.lineWidth = scale;
    context.strokeStyle = themeColour("paper");
    context.stroke();
    if (group.tokens.length > 1 && numbered) {
      context.fillStyle = themeColour("ink");
      context.fillText(`×${group.tokens.length}`, x + 8 * scale, y);
    }
    if (!group.tokens.includes(this.chosen)) return;
    drawShape(context, "circle", x, y, 10 * scale);
    context.lineWidth = 2 * scale;
    context.strokeStyle = themeColour("ink");
    context.stroke();
  }

  // The group whose mark is within reach of a point in CSS pixels of the plot's area, or null.
  near(plot, left, top) {
    const scale = window.devicePixelRatio || 1;
    let nearest = null, least = 14;
    for (const group of this.groups) {
      const [x, y] = this.place(plot, group.head);
      const distance = Math.hypot((x - plot.bbox.left) / scale - left, (y - plot.bbox.top) / scale - top);
      if (distance < least) [nearest, least] = [group, distance];
    }
    return nearest;
  }

  // The group `by` further on in time from the chosen one.
  next(by) {
    const now = this.groups.findIndex((group) => group.tokens.includes(this.chosen)), last = this.groups.length - 1;
    const to = now === -1 ? (by > 0 ? 0 : last) : now + by;
    return this.groups[Math.min(Math.max(to, 0), last)];
  }
}
