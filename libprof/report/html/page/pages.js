// A long list, a page of it at a time.

class Pages {
  // `onTurn` draws anew. `what`: of what the list consists, in the singular.
  constructor(rows, what, onTurn) {
    this.rows = rows;
    this.what = what;
    this.onTurn = onTurn;
    this.at = 0;
    this.node = el("div", {class: "pager"});
  }

  // What of `all` the current page shows.
  cut(all) {
    const pages = Math.max(1, Math.ceil(all.length / this.rows));
    this.at = Math.min(this.at, pages - 1);
    const button = (text, by, disabled) => el("button", {type: "button", disabled, onclick: () => this.turn(by)}, text);
    this.node.replaceChildren(
        button("Earlier page", -1, this.at === 0),
        el("span", {class: "soft"}, `${count(this.at + 1)} of ${count(pages)}, ${counted(all.length, this.what)}`),
        button("Next page", 1, this.at + 1 >= pages));
    return all.slice(this.at * this.rows, (this.at + 1) * this.rows);
  }

  turn(by) {
    this.at += by;
    this.onTurn();
  }

  showPlace(place) {
    if (place >= 0) this.at = Math.floor(place / this.rows);
  }
}

// A choice among [value, text] with its label.
function choice(label, options, onChange) {
  const box = el("select", {onchange: onChange}, options.map(([value, text]) => el("option", {value}, text)));
  return {box, node: el("label", null, label, box)};
}

// A request's name where there is little room.
function shortName(req) {
  return req.length > 18 ? `${req.slice(0, 18)}…` : req;
}
