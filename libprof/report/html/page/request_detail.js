// One request, opened: what it waited for, and where its gaps went.

// One row's phases as a map by name.
function phasesOfRow(values, names) {
  const phases = {};
  (values || []).forEach((value, i) => {
    if (value !== null) phases[names[i]] = value;
  });
  return phases;
}

function phaseBlock(sentence, parts, whole, label, words) {
  return [
    el("p", null, sentence), stackedBar(parts, whole, label, true), phaseLegend(parts.map((part) => part.name), words)
  ];
}

function slowButtons(tokens, chooser) {
  if (tokens.length === 0) return null;
  const shown = tokens.slice(0, 12).map(
      (token, i) =>
          [i > 0 ? ", " : "",
           el("button", {type: "button", class: "link", onclick: () => chooser.choose(token, true)},
              tokenName(token))]);
  return el("p", null, "Slow: ", shown, tokens.length > 12 ? ` and ${tokens.length - 12} more` : "");
}

function requestDetail(data, i, slowTokens, chooser) {
  const c = data.requests.columns, cached = c.cached[i] > 0 ? `, ${count(c.cached[i])} of them cached` : "";
  const ttft = phasesOfRow(c.ttft_phases[i], data.ttft_phases), parts = phaseParts(ttft, timeOrder(data.ttft_phases));
  const gaps = phaseParts(phasesOfRow(c.gap_phases[i], data.gap_phases), timeOrder(data.gap_phases));
  const whole = gaps.reduce((sum, part) => sum + part.ns, 0);
  const summary = `: ${counted(c.prompt[i], "prompt token")}${cached}, ${
      counted(c.tokens[i], "token")} generated, ended: ${c.finish[i]}.`;
  return [
    el("p", null, el("span", {class: "mono"}, c.req[i]), summary),
    c.ttft_ns[i] === null ? el("p", null, "No first token of it was seen.") :
                            phaseBlock(
                                phasesSentence("This request", ttft, TTFT_WORDS, c.ttft_ns[i]), parts, c.ttft_ns[i],
                                "TTFT by phase", TTFT_WORDS),
    whole === 0 ?
        null :
        phaseBlock(
            `Its ${counted(c.gaps[i], "gap")} between tokens, the longest ${duration(c.longest_gap_ns[i])}, add up to:`,
            gaps, whole, "gaps by phase", GAP_WORDS),
    slowButtons(slowTokens, chooser)
  ];
}
