// What stands out, in a few sentences at the top: whether the numbers can be trusted, what the stalls and the slow
// first tokens cost and by which cause most, and the one to look at first.

function costliest(rows) {
  const whole = rows.reduce((sum, row) => sum + row.excess_ns, 0), {cause, excess_ns: most} = rows[0];
  const part = most === whole ? "all" : percent(most / Math.max(whole, 1));
  if (cause === "unknown") return [`${duration(whole)} beyond what is usual; for ${part} of it no cause was found.`];
  const means = CAUSE_WORDS[cause] ? `: ${CAUSE_WORDS[cause]}` : "";
  return [`${duration(whole)} beyond what is usual, ${part} of it by `, causeLabel(cause, null, true), `${means}.`];
}

function stallsSentence(data) {
  const {stalls} = data.slow, gaps = data.report.itl.step.count;
  if (gaps === 0) return null;
  if (stalls === 0) return el("p", null, `None of the ${counted(gaps, "gap")} between tokens was a stall.`);
  return el(
      "p", null, el("strong", null, counted(stalls, "stall")), ` in ${counted(gaps, "gap")} cost requests `,
      costliest(data.causes.stalls));
}

function firstTokensSentence(data) {
  const slow = data.slow.first_tokens, all = data.report.ttft.count;
  if (all === 0) return null;
  if (slow === 0) return el("p", null, `None of the ${counted(all, "first token")} was slow.`);
  return el(
      "p", null, el("strong", null, counted(slow, "slow first token")), ` of ${count(all)} cost requests `,
      costliest(data.causes.first_tokens));
}

// The worst token with a timeline, of the cause that cost most.
function lookAtFirst(data) {
  const {stalls, first_tokens: first} = data.causes;
  const of = (kind, rows) => rows.map(({cause, excess_ns: cost}) => ({kind, cause, cost}));
  const [most] = [...of("gap", stalls), ...of("first", first)].sort((a, b) => b.cost - a.cost);
  if (!most) return null;
  const [worst] = data.slow.list.filter((t) => t.window !== null && t.kind === most.kind && t.cause === most.cause)
                      .sort((a, b) => b.excess_ns - a.excess_ns);
  return worst || null;
}

function lookSentence(token, chooser) {
  if (!token) return null;
  const name = token.kind === "first" ? "the first token" : `token ${token.n}`;
  return el(
      "p", null, `Look first at ${name} of request `,
      el("span", {class: "mono", title: token.req}, shortName(token.req)),
      ` at ${at(token.start_ns)}, which took ${duration(token.took_ns)}`,
      token.sentence ? `: ${token.sentence}. ` : ". ",
      el("button", {type: "button", id: "look-first", onclick: () => chooser.choose(token, true)},
         "Show its timeline"));
}

function showVerdict(data, chooser) {
  const node = document.getElementById("verdict"), sentences = [stallsSentence(data), firstTokensSentence(data)];
  add(node, null, [
    el("a", {class: "plain", href: "#coverage"}, coverageBadge(data.report.coverage)), sentences,
    sentences.some(Boolean) ? lookSentence(lookAtFirst(data), chooser) :
                              el("p", null, "No request was recorded: this report is about the GPU alone.")
  ]);
}
