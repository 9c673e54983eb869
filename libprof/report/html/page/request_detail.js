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

// Parts that stand one after the other.
function stepsOf(parts) {
  let before = 0;
  return parts.map(({name, ns}) => [name, (before += ns) - ns, ns]);
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

// What is known of any request: its first token by phase, and its gaps added up.
function phasesOfRequest(data, i, slowTokens, chooser) {
  const c = data.requests.columns;
  const ttft = phasesOfRow(c.ttft_phases[i], data.ttft_phases), parts = phaseParts(ttft, timeOrder(data.ttft_phases));
  const gaps = phaseParts(phasesOfRow(c.gap_phases[i], data.gap_phases), timeOrder(data.gap_phases));
  const whole = gaps.reduce((sum, part) => sum + part.ns, 0);
  return [
    c.ttft_ns[i] === null ? el("p", null, "No first token of it was seen.") :
                            [
                              el("p", null, phasesSentence("This request", ttft, TTFT_WORDS, c.ttft_ns[i])),
                              stepsTable(stepsOf(parts), c.ttft_ns[i], TTFT_WORDS)
                            ],
    whole === 0 ?
        null :
        phaseBlock(
            `Its ${counted(c.gaps[i], "gap")} between tokens, the longest ${duration(c.longest_gap_ns[i])}, add up to:`,
            gaps, whole, "gaps by phase", GAP_WORDS),
    slowButtons(slowTokens, chooser),
    el("p", {class: "soft"}, "The page keeps single tokens of the requests with the worst moments; ",
       el("code", null, `slowtoken why TRACE ${c.req[i]}`), " tells of this one.")
  ];
}

function requestDetail(data, i, slowTokens, chooser) {
  const c = data.requests.columns, cached = c.cached[i] > 0 ? `, ${count(c.cached[i])} of them cached` : "";
  const summary = `: ${counted(c.prompt[i], "prompt token")}${cached}, ${
      counted(c.tokens[i], "token")} generated, ended: ${c.finish[i]}.`;
  const life = waterfallOf(data, c.req[i]);
  return [
    el("p", null, el("span", {class: "mono"}, c.req[i]), summary),
    life ? new Waterfall(data, life, chooser).node() : phasesOfRequest(data, i, slowTokens, chooser)
  ];
}
