// Collectives: how long each rank waited in them, and for whom.

const LISTED_RANKS = 16;

function ranksTable(ranks) {
  const most = Math.max(...ranks.map(({rank}) => rank.kept_waiting_ns), 1);
  const share = (part, whole) => (whole > 0 ? percent(part / whole) : "–");
  return table(
      [
        {title: "rank", wide: true}, {title: "collectives", roomy: true}, {title: "time in them", roomy: true},
        {title: "waited for others"}, {title: "share", optional: true}, {title: "came last to"},
        {title: "kept others waiting"}, {title: "", meter: true, roomy: true}
      ],
      ranks.map(
          ({rank, name}) =>
              [name, count(rank.collectives), duration(rank.total_ns), duration(rank.waited_ns),
               share(rank.waited_ns, rank.total_ns), `${count(rank.late)} (${share(rank.late, rank.collectives)})`,
               duration(rank.kept_waiting_ns), meter(rank.kept_waiting_ns, most, DEVICE_COLOURS.dependency)]));
}

function collectiveFigures(collectives, ranks) {
  const wait = collectives.wait_ns;
  return figures([
    ["Collectives", count(collectives.matched), `seen on two or more of ${counted(ranks, "rank")}`],
    wait.count > 0 ? ["Longest wait, median", duration(wait.p50_ns), `p99 ${duration(wait.p99_ns)}`] : null,
    wait.count > 0 ? ["Longest wait of all", duration(wait.max_ns), `mean ${duration(wait.mean_ns)}`] : null,
    ["Seen on one rank", count(collectives.alone), "nobody to compare with"],
    ["One-sided", count(collectives.one_sided), "not judged"]
  ]);
}

function showCollectives(data) {
  const {collectives, ranks} = data.report, words = data.collectives;
  const node = section(
      "collectives", "Collectives, and who came late", "Collectives",
      "A collective ends on all its ranks at once: the rank whose kernel is the shortest came last, and the others waited as much as theirs are longer.");
  if (!collectives) {
    node.append(empty(
        "No two ranks with collectives were recorded: there is one GPU, or only the traces of one rank were given, or graph replays were recorded whole (--graph=node records their kernels)."));
    return;
  }
  const rows = ranks.map((rank, i) => ({rank, name: words.ranks[i]}))
                   .sort((a, b) => b.rank.kept_waiting_ns - a.rank.kept_waiting_ns);
  add(node, null, [
    collectiveFigures(collectives, data.report.totals.ranks), textList(words.sentences, "warnings notes"),
    ranksTable(rows.slice(0, LISTED_RANKS)),
    rows.length > LISTED_RANKS ?
        el("details", null, el("summary", null, counted(rows.length - LISTED_RANKS, "more rank")),
           ranksTable(rows.slice(LISTED_RANKS))) :
        null
  ]);
}
