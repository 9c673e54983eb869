// The marks of stalls in the chart of gaps, each where its gap ended, with the shape and colour of its cause.

class StallMarks {
  constructor(stalls) {
    this.stalls = stalls;
    this.chosen = null;
  }

  place(plot, stall) {
    return [plot.valToPos((stall.start_ns + stall.took_ns) / 1e9, "x", true), plot.valToPos(stall.took_ns, "y", true)];
  }

  draw(plot) {
    const context = plot.ctx, scale = window.devicePixelRatio || 1, {left, top, width, height} = plot.bbox;
    context.save();
    context.beginPath();
    context.rect(left, top - 6 * scale, width, height + 12 * scale);
    context.clip();
    for (const stall of this.stalls) {
      const [x, y] = this.place(plot, stall), look = causeLook(stall.cause);
      drawShape(context, look.shape, x, y, 5 * scale);
      context.fillStyle = look.colour;
      context.fill();
      context.lineWidth = scale;
      context.strokeStyle = themeColour("paper");
      context.stroke();
      if (stall !== this.chosen) continue;
      drawShape(context, "circle", x, y, 10 * scale);
      context.lineWidth = 2 * scale;
      context.strokeStyle = themeColour("ink");
      context.stroke();
    }
    context.restore();
  }

  // The stall within reach of a point in CSS pixels of the plot's area, or null.
  near(plot, left, top) {
    const scale = window.devicePixelRatio || 1;
    let nearest = null, least = 14;
    for (const stall of this.stalls) {
      const [x, y] = this.place(plot, stall);
      const distance = Math.hypot((x - plot.bbox.left) / scale - left, (y - plot.bbox.top) / scale - top);
      if (distance < least) [nearest, least] = [stall, distance];
    }
    return nearest;
  }
}
