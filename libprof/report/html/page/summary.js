// The run in a few numbers and sentences.

function finishText(finish) {
  return Object.entries(finish).filter(([, n]) => n > 0).map(([how, n]) => `${count(n)} ${how}`).join(", ");
}

function summarySentences(data) {
  const {ttft, itl} = data.report;
  const sentences = [];
  if (ttft.count > 0) {
    sentences.push(`Half of the requests had their first token within ${
        duration(ttft.p50_ns)}, one in a hundred waited ${duration(ttft.p99_ns)} or longer.`);
    const [largest] = Object.entries(ttft.phases_mean_ns).sort((a, b) => b[1] - a[1]);
    if (largest && ttft.mean_ns > 0)
      sentences.push(`On average ${percent(largest[1] / ttft.mean_ns)} of that was phase ${
          nameText(largest[0])}: the request ${TTFT_WORDS[largest[0]]}.`);
  }
  if (itl.step.count > 0)
    sentences.push(`Between tokens half of the gaps were ${duration(itl.step.p50_ns)} or shorter, one in a hundred ${
        duration(itl.step.p99_ns)} or longer.`);
  return sentences.length === 0 ? null : el("p", null, sentences.join(" "));
}

function showSummary(data) {
  const {throughput, ttft, itl} = data.report;
  const requests = Object.values(throughput.finish).reduce((sum, n) => sum + n, 0);
  const node = section("summary", "The run in numbers", "Numbers");
  if (requests === 0) {
    node.append(empty(
        "No request was recorded, so there is no TTFT and no ITL to speak of. ",
        "They need the engine's llmserve annotations (slowtoken/llmserve.h); what the GPU did stands below."));
    return;
  }
  add(node, null, [
    summarySentences(data), figures([
      ["Requests", count(requests), finishText(throughput.finish)],
      ["Throughput", `${rate(throughput.req_per_s)}/s`, `${rate(throughput.tok_per_s)} tokens/s`],
      ["TTFT, median", duration(ttft.p50_ns), `p99 ${duration(ttft.p99_ns)} · max ${duration(ttft.max_ns)}`],
      [
        "ITL, median step", duration(itl.step.p50_ns),
        `p99 ${duration(itl.step.p99_ns)} · max ${duration(itl.step.max_ns)}`
      ],
      [
        "Slow first tokens", count(data.slow.first_tokens),
        ttft.count > 0 ? `${percent(data.slow.first_tokens / ttft.count)} of ${count(ttft.count)}` : null
      ],
      [
        "Stalls", count(data.slow.stalls),
        itl.step.count > 0 ? `${percent(data.slow.stalls / itl.step.count)} of ${count(itl.step.count)} gaps` : null
      ],
    ])
  ]);
  const by = data.report.by_definition;
  if (by) {
    const row =
        (name,
         d) => [name, count(d.count), duration(d.mean_ns), duration(d.p50_ns), duration(d.p90_ns), duration(d.p99_ns)];
    add(node, null, [
      el("h3", null, `As ${by.definition} defines them`), el("p", {class: "soft"}, by.note),
      table(
          [{title: "", text: true}, {title: "count"}, {title: "mean"}, {title: "p50"}, {title: "p90"}, {title: "p99"}],
          [["TTFT", by.ttft], ["ITL", by.itl], ["TPOT", by.tpot]]
              .filter(([, d]) => d.count > 0)
              .map(([name, d]) => row(name, d)))
    ]);
  }
}
