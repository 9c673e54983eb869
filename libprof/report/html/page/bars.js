// Bars of parts that add up to a whole.

// parts: [{name, ns}]; `whole` is the length of the bar. What is shorter than the whole leaves the rest empty. In a big
// bar the parts that are wide enough say what they are (style.css hides the names of the others).
function stackedBar(parts, whole, label, big) {
  const shown = parts.filter((part) => part.ns > whole / 400);  // what is narrower than its edge would only be an edge
  const text =
      parts.filter((part) => part.ns > 0).map((part) => `${nameText(part.name)} ${duration(part.ns)}`).join(", ");
  return el(
      "div", {class: big ? "bar big" : "bar", role: "img", "aria-label": `${label}: ${text}`},
      shown.map((part) => barPart(part, whole, big)));
}

// How wide a part of `whole` is, for CSS.
function widthOf(part, whole) {
  return `${(100 * part) / Math.max(whole, 1)}%`;
}

function barPart(part, whole, big) {
  const colour = partColour(part.name);
  const look = {width: widthOf(part.ns, whole), background: colour, color: inkOn(colour)};
  return el(
      "span", {
        class: part.name === "unattributed" ? "rest" : null,
        title: `${nameText(part.name)}: ${duration(part.ns)}`,
        style: look
      },
      big ? el("b", null, nameText(part.name)) : null);
}

function swatch(colour) {
  return el("span", {class: "swatch", style: {background: colour}});
}

// `words`: what the phases mean, by name.
function phaseLegend(names, words) {
  return el(
      "ul", {class: "legend"},
      names.map((name) => el("li", null, swatch(partColour(name)), term(nameText(name), phaseMeaning(name, words)))));
}

// A bar of one value, for a cell of a table.
function meter(value, most, colour) {
  return el(
      "div", {class: "bar", "aria-hidden": "true"},
      el("span", {style: {width: widthOf(value, most), background: colour}}));
}

// Phase names in the order in which they usually happen: the order of precedence turned around, what is left last.
function timeOrder(names) {
  return [...names.slice(0, -1).reverse(), names[names.length - 1]];
}

// Parts in the order of time, from a map by name.
function phaseParts(phases, order) {
  return order.filter((name) => phases[name] > 0).map((name) => ({name, ns: phases[name]}));
}
