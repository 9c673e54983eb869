// Making elements. Texts of a trace only ever become text nodes or attributes: nothing of them is parsed as HTML.

function add(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on"))
      node.addEventListener(name.slice(2), value);
    else if (name === "style")
      for (const [property, of] of Object.entries(value)) node.style.setProperty(property, of);
    else
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function el(tag, attributes, ...children) {
  return add(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
  return add(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

// A section of the page with its heading and its place in the navigation. Returns where its content goes.
function section(id, heading, inNavigation, lead) {
  const node =
      el("section", {id, "aria-labelledby": `${id}-heading`}, el("h2", {id: `${id}-heading`}, heading),
         lead ? el("p", {class: "lead"}, lead) : null);
  document.getElementById("report").append(node);
  document.getElementById("sections").append(el("a", {href: `#${id}`}, inNavigation));
  return node;
}

function empty(...why) {
  return el("p", {class: "empty"}, ...why);
}

const COLUMN_KINDS = ["text", "wide", "meter", "optional", "roomy"];

// columns: [{title, text: left-aligned?, wide?, optional: left out where narrow? roomy: also where half narrow?}];
// rows: lists of cells, texts or nodes.
function table(columns, rows) {
  const classOf = (column) => COLUMN_KINDS.filter((kind) => column[kind]).join(" ") || null;
  const head =
      el("tr", null,
         columns.map((column) => el("th", {scope: "col", class: classOf(column)}, labelText(column.title, true))));
  const body =
      rows.map((cells) => el("tr", null, cells.map((cell, i) => el("td", {class: classOf(columns[i])}, cell))));
  return el("div", {class: "scroll"}, el("table", null, el("thead", null, head), el("tbody", null, body)));
}

// pairs: [[what, value, smaller text below]]
function figures(pairs) {
  return el(
      "dl", {class: "figures"},
      pairs.filter(Boolean).map(
          ([what, value, below]) =>
              el("div", null, el("dt", null, labelText(what, true)),
                 el("dd", null, value, below ? el("small", null, below) : null))));
}

function facts(pairs) {
  return el("dl", {class: "facts"}, pairs.map(([name, value]) => [el("dt", null, name), el("dd", null, value)]));
}

function glyph(cause) {
  const {shape, colour} = causeLook(cause);
  const corners = shapeCorners(shape);
  const inside = corners === null ?
      svg("circle", {r: .85, fill: colour}) :
      svg("polygon", {points: corners.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" "), fill: colour});
  return svg("svg", {class: "glyph", viewBox: "-1.1 -1.1 2.2 2.2", "aria-hidden": "true"}, inside);
}

function causeLabel(cause, confidence, reachable) {
  return el(
      "span", {class: "cause"}, glyph(cause), term(nameText(cause), causeMeaning(cause), reachable),
      confidence === "low" ? " (not sure)" : "");
}
