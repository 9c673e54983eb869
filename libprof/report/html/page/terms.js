// Terms that explain themselves: a short text beside them while the pointer or the focus is on them; Escape takes it
// away.

// `reachable`: the keyboard stops at it. Where the same term stands twice in a section, one of them is.
function term(text, meaning, reachable) {
  if (!meaning) return el("span", null, text);
  return el("span", {class: "term", "data-means": meaning, tabindex: reachable ? "0" : null}, text);
}

function phaseMeaning(name, words) {
  if (!words || !words[name]) return null;
  return `Phase ${nameText(name)}: ${words === TTFT_WORDS ? "the request " : ""}${words[name]}.`;
}

function causeMeaning(cause) {
  return CAUSE_WORDS[cause] ? `Cause ${nameText(cause)}: ${CAUSE_WORDS[cause]}.` : null;
}

function placeTip(tip, of) {
  const box = of.getBoundingClientRect(), below = box.bottom + tip.offsetHeight < window.innerHeight;
  tip.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - tip.offsetWidth - 8))}px`;
  tip.style.top = `${below ? box.bottom : box.top - tip.offsetHeight}px`;
}

function startTerms() {
  const tip = el("div", {class: "tip", id: "meaning", role: "tooltip", hidden: true});
  document.body.append(tip);
  let shown = null;
  const show = (of) => {
    if (shown) shown.removeAttribute("aria-describedby");
    shown = of;
    tip.hidden = !of;
    if (!of) return;
    tip.textContent = of.dataset.means;
    of.setAttribute("aria-describedby", tip.id);
    placeTip(tip, of);
  };
  const meant = (event) => (event.target.closest ? event.target.closest("[data-means]") : null);
  document.addEventListener(
      "mouseover", (event) => event.target !== tip && meant(event) !== shown && show(meant(event)));
  document.addEventListener("focusin", (event) => show(meant(event)));
  document.addEventListener("keydown", (event) => event.key === "Escape" && shown && show(null));
  document.addEventListener("scroll", () => shown && placeTip(tip, shown), {capture: true, passive: true});
}
