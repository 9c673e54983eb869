// What is known about one slow token, in sentences.

function tokenTitle(token) {
  return token.kind === "first" ?
      `Request ${token.req}: first token after ${duration(token.took_ns)}` :
      `Request ${token.req}, token ${token.n}: ${duration(token.took_ns)} after the one before`;
}

// The cause with its evidence, and what is wrong with it.
function causeNode(token) {
  const sentence = token.sentence || (token.cause === "unknown" && token.doubt) || CAUSE_WORDS[token.cause];
  return el(
      "p", null, el("strong", null, "Cause: "), causeLabel(token.cause, null, true), sentence ? `: ${sentence}.` : "",
      token.sentence && token.doubt ? ` Not sure: ${token.doubt}.` : "");
}

function tokenStory(token, data, choose) {
  const first = token.kind === "first", words = first ? TTFT_WORDS : GAP_WORDS;
  const order = timeOrder(first ? data.ttft_phases : data.gap_phases), parts = phaseParts(token.phases, order);
  const subject = first ? "The request" : "Meanwhile";
  return el(
      "div", {class: "story"}, el("h3", null, tokenTitle(token)),
      el("p", {class: "soft"}, `It began at ${at(token.start_ns)}; ${token.excess}.`), causeNode(token),
      token.overlaps_blind ? el("p", null, "slowtoken was blind for a part of this time, so nothing is concluded.") :
                             null,
      el("p", null, phasesSentence(subject, token.phases, words, token.took_ns)),
      parts.length > 0 ?
          [stackedBar(parts, token.took_ns, "by phase", true), phaseLegend(parts.map((part) => part.name), words)] :
          null,
      token.advice ? el("p", {class: "try"}, el("strong", null, "Try: "), `${token.advice}.`) : null,
      alsoHeldUp(token, data.slow.list, choose));
}

function momentNotes(moment) {
  const there = new Set(moment.lanes.map((lane) => lane.group));
  const lacks = Object.keys(GROUPS).filter((group) => !there.has(group)).map((group) => GROUPS[group].toLowerCase());
  const left = moment.lanes.reduce((sum, lane) => sum + lane.left_out, 0);
  return [
    moment.requests > 3 ? `${count(moment.requests)} requests had a slow token in this window; a few are shown. ` : "",
    moment.threads_left_out > 0 ?
        `Of the threads the 12 busiest are shown; ${count(moment.threads_left_out)} are left out. ` :
        "",
    left > 0 ? `Of crowded lanes the longest events are shown; ${count(left)} shorter ones are left out. ` : "",
    lacks.length > 0 ? `Nothing was recorded in this window of: ${lacks.join(", ")}.` : ""
  ].join("");
}

// The others that the same moment held up, to go to.
function alsoHeldUp(token, list, choose) {
  const others = list.filter((other) => other.head === token.head && other !== token), shown = others.slice(0, 8);
  if (others.length === 0) return null;
  const link = (other, i) =>
      [i > 0 ? ", " : "",
       el("button", {type: "button", class: "link", title: other.req, onclick: () => choose(other, false)},
          `${shortName(other.req)} ${tokenName(other)}`)];
  const more = others.length > shown.length ? ` and ${count(others.length - shown.length)} more` : "";
  return el(
      "p", {class: "soft"}, `The same moment held up ${counted(others.length, "other token")}: `, shown.map(link), more,
      ".");
}

// What the colours of a timeline mean.
function kindLegend(moment, names) {
  const kinds = new Set();
  for (const lane of moment.lanes) lane.events.forEach((value, i) => i % 3 === 2 && kinds.add(names[value][1]));
  const shown = [...kinds].filter((kind) => KIND_WORDS[kind] !== "").sort();
  return el(
      "ul", {class: "legend"}, shown.map((kind) => el("li", null, swatch(kindColour(kind)), KIND_WORDS[kind] || kind)));
}
