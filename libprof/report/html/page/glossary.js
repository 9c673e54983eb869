// What the words of the page mean, to be opened.

function glossaryPart(title, pairs) {
  return el("details", null, el("summary", null, title), facts(pairs));
}

function phasePairs(names, words) {
  const upper = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  return timeOrder(names).map(
      (name) => [
          [swatch(partColour(name)), nameText(name)],
          upper(`${words === TTFT_WORDS ? "the request " : ""}${words[name] || ""}.`)]);
}

function showGlossary(data) {
  const node = section(
      "glossary", "What the words mean", "Glossary",
      "The same texts appear where a dotted word has the pointer or the focus.");
  add(node, null, [
    glossaryPart("Words", Object.entries(GLOSSARY_WORDS)),
    glossaryPart("Phases of a first token, in their usual order", phasePairs(data.ttft_phases, TTFT_WORDS)),
    glossaryPart("Phases of a gap, in their usual order", phasePairs(data.gap_phases, GAP_WORDS)),
    glossaryPart("Causes", Object.entries(CAUSE_WORDS).map(([cause, words]) => [causeLabel(cause), `${words}.`])),
    glossaryPart("Tiers", TIERS.map((tier, i) => [`Tier ${i}`, `${tier}.`]))
  ]);
}
