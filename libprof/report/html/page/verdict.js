// What stands out, in a few sentences at the top: whether the numbers can be trusted, what the stalls and the slow
// first tokens cost and by which cause most, and which to look at first.

// rows: of causes, the costliest first.
function costliest(rows) {
  const whole = rows.reduce((sum, row) => sum + row.excess_ns, 0), {cause, excess_ns: most} = rows[0];
  const part = most === whole ? "all" : percent(most / Math.max(whole, 1));
  if (cause === "unknown") return [`${duration(whole)} lost; for ${part} of it no cause was found. `];
  const means = CAUSE_WORDS[cause] ? `: ${CAUSE_WORDS[cause]}` : "";
  return [`${duration(whole)} lost, ${part} of it by `, causeLabel(cause, null, true), `${means}. `];
}

function lookButton(token, id, chooser) {
  const what = token.kind === "first" ? "See the worst first token" : "See its worst moment";
  return el("button", {type: "button", class: "link", id, onclick: () => chooser.choose(token, true)}, what);
}

function stallsSentence(data, chooser) {
  const {stalls, moments, worst_stall: worst, list} = data.slow, gaps = data.report.itl.step.count;
  if (gaps === 0) return null;
  if (stalls === 0) return el("p", null, `None of the ${counted(gaps, "gap")} between tokens was a stall.`);
  const judged = data.causes.stalls.filter((row) => !row.few_samples);
  const early = data.causes.stalls.filter((row) => row.few_samples).reduce((sum, row) => sum + row.count, 0);
  return el(
      "p", null, el("strong", null, counted(stalls, "stall")),
      ` in ${counted(moments, "moment")}, of ${counted(gaps, "gap")}`,
      early > 0 ? ` (${count(early)} among the first gaps, when nothing was usual yet)` : "", ": ",
      judged.length > 0 ? costliest(judged) : "", lookButton(list[worst], "look-first", chooser));
}

function firstTokensSentence(data, chooser) {
  const {first_tokens: slow, worst_first: worst, list} = data.slow, all = data.report.ttft.count;
  if (all === 0) return null;
  if (slow === 0) return el("p", null, `None of the ${counted(all, "first token")} was slow.`);
  return el(
      "p", null, el("strong", null, counted(slow, "slow first token")), ` of ${count(all)}: `,
      costliest(data.causes.first_tokens), lookButton(list[worst], "look-first-token", chooser));
}

// What to look at first, or null.
function worstToken({worst_stall: stall, worst_first: first, list}) {
  return list[stall ?? first] || null;
}

function showVerdict(data, chooser) {
  const sentences = [stallsSentence(data, chooser), firstTokensSentence(data, chooser)];
  add(document.getElementById("verdict"), null, [
    el("a", {class: "plain", href: "#coverage"}, coverageBadge(data.report.coverage)), sentences,
    sentences.some(Boolean) ? null : el("p", null, "No request was recorded: this report is about the GPU alone.")
  ]);
}
