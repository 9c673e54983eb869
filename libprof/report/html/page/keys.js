// The keys of the page, shown by `?`.

const KEYS = [
  ["Tab, Shift + Tab", "to the next or the earlier thing that can be used"], ["Enter", "opens or chooses it"],
  ["?", "shows these keys"], ["Escape", "closes what is open; in a timeline, goes back to where it was chosen"],
  ["← →", "in the chart of gaps: the next stall; in a timeline: earlier, later"],
  ["Home, End", "in the chart of gaps: the first stall, the last"],
  ["+ −", "in a chart or a timeline: closer, further"], ["0", "in a chart or a timeline: all of it"],
  ["Enter", "in the chart of gaps: to the story of the stall; in a timeline: closer to the chosen event"],
  ["N, P", "in a timeline: the next event of all, the one before"], ["↑ ↓", "in a timeline: the lane above, below"]
];

function startKeys() {
  const close = el("button", {type: "button", onclick: () => dialog.close()}, "Close");
  const dialog =
      el("dialog", {id: "keys", "aria-labelledby": "keys-heading"}, el("h2", {id: "keys-heading"}, "Keys"),
         facts(KEYS.map(([keys, does]) => [el("kbd", null, keys), does])), close);
  document.body.append(dialog);
  document.getElementById("show-keys").addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.key !== "?" || dialog.open || event.target.matches("input, select, textarea")) return;
    event.preventDefault();
    dialog.showModal();
  });
}
