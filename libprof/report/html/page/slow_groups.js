// Slow tokens of one moment, as one: the worst of them stands for all.

// [{head, tokens: the head first, then by excess}] of the tokens, in order of their heads.
function groupByMoment(tokens, list) {
  const groups = new Map();
  for (const token of tokens) {
    const head = list[token.head];
    if (!groups.has(head)) groups.set(head, {head, tokens: []});
    groups.get(head).tokens.push(token);
  }
  const all = [...groups.values()];
  for (const group of all) {
    group.tokens.sort((a, b) => (b === group.head) - (a === group.head) || b.excess_ns - a.excess_ns);
    group.head = group.tokens[0];
  }
  return all.sort((a, b) => a.head.start_ns - b.head.start_ns);
}

// In which most time was lost first, first gaps last.
function worstFirst(a, b) {
  return a.few_samples - b.few_samples || b.lost_ns - a.lost_ns || b.excess_ns - a.excess_ns;
}

function groupSize(group) {
  const requests = new Set(group.tokens.map((token) => token.req)).size;
  return requests === group.tokens.length ?
      counted(requests, "request") :
      `${counted(group.tokens.length, "token")} of ${counted(requests, "request")}`;
}

function tokenName(token) {
  return token.kind === "first" ? "first token" : `token ${token.n}`;
}
