// The engine against the oracle over random workloads: every phase of every request and gap, every iteration, exactly.
#include "oracle.h"

#include <gmock/gmock.h>

#include <cstdlib>

#include "workload.h"

namespace slowtoken::attribution::testing {
namespace {

struct Case {
  const char* name;
  WorkloadOptions workload;
  DeliveryOptions delivery;
};

void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

template <typename Array>
std::vector<uint64_t> V(const Array& a) {
  return {a.begin(), a.end()};
}

void CompareIteration(const OracleKey& key, const OracleIteration& want, const LoggedIteration& got) {
  SCOPED_TRACE("iteration " + std::to_string(std::get<2>(key)));
  const record::IterationSummary& s = got.summary;
  const TimeRange host = want.iter ? *want.iter : *want.all;
  EXPECT_EQ(s.start, host.start);
  EXPECT_EQ(s.end, host.end);
  EXPECT_EQ(s.gpu_start, want.Gpu() ? want.Gpu()->start : 0);
  EXPECT_EQ(s.gpu_end, want.Gpu() ? want.Gpu()->end : 0);
  EXPECT_EQ(s.sample_end, want.SampleEnd());
  EXPECT_EQ(s.gpu_busy_ns, want.BusyNs());
  EXPECT_EQ(s.collective_ns, UnionNs(want.collectives));
  EXPECT_EQ(s.kernels, want.kernels);
  EXPECT_EQ(s.graph_launches, want.graph_launches);
  EXPECT_EQ(s.graph, want.graph_launches > 0);
  EXPECT_EQ(s.dummy, want.dummy());
  EXPECT_EQ(s.batch_known, want.batch == OracleBatch::kKnown);
  EXPECT_EQ(s.prefill_rows, want.PrefillRows());
  std::vector<record::BatchRow> rows;
  for (const auto& [req, row] : want.rows) rows.push_back(row);
  EXPECT_EQ(got.rows, rows);
}

void CompareRequest(record::RequestId req, const OracleRequest& want, const SummaryLog& out) {
  SCOPED_TRACE("request " + std::to_string(req));
  const record::RequestSummary* got = out.Find(req);
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(got->has_ttft, want.has_ttft);
  EXPECT_EQ(got->ttft_ns, want.ttft_ns);
  EXPECT_EQ(V(got->ttft_phases), V(want.ttft_phases));
  EXPECT_EQ(V(got->queue_by), V(want.queue_by));
  EXPECT_EQ(got->prefill_gpu_ns, want.prefill_gpu_ns);
  EXPECT_EQ(got->prefill_collective_ns, want.prefill_collective_ns);
  EXPECT_EQ(got->prefill_idle_ns, want.prefill_idle_ns);
  EXPECT_EQ(got->tokens, want.tokens);
  EXPECT_EQ(got->gpu_share_ns, want.gpu_share_ns);
  EXPECT_EQ(got->iterations, want.iterations);
  if (!want.gaps.empty()) {
    EXPECT_EQ((got->flags & record::kSawSends) != 0, want.by_sends);
  }
  const std::vector<record::GapSummary> gaps = out.GapsOf(req);
  ASSERT_EQ(gaps.size(), want.gaps.size());
  ASSERT_EQ(got->gaps, want.gaps.size());
  for (size_t i = 0; i < gaps.size(); ++i) {
    SCOPED_TRACE("gap " + std::to_string(i));
    EXPECT_EQ(gaps[i].n, want.gaps[i].n);
    EXPECT_EQ(gaps[i].n_new, want.gaps[i].n_new);
    EXPECT_EQ(gaps[i].start, want.gaps[i].start);
    EXPECT_EQ(gaps[i].gap_ns, want.gaps[i].gap_ns);
    EXPECT_EQ(V(gaps[i].phases), V(want.gaps[i].phases));
  }
}

// Runs of each workload; SLOWTOKEN_ORACLE_SEEDS asks for more.
uint64_t Seeds() {
  const char* asked = getenv("SLOWTOKEN_ORACLE_SEEDS");
  return asked == nullptr ? 12 : strtoull(asked, nullptr, 10);
}

class OracleTest : public ::testing::TestWithParam<Case> {};

TEST_P(OracleTest, EveryPhaseOfEveryRequest) {
  for (uint64_t seed = 1; seed <= Seeds() && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    WorkloadOptions workload = GetParam().workload;
    DeliveryOptions delivery = GetParam().delivery;
    workload.seed = seed;
    delivery.seed = seed * 31;
    delivery.processes = workload.processes;
    Bench bench(SmallConfig(static_cast<uint32_t>(workload.processes)));
    const EventLog log = MakeWorkload(workload, bench);
    const Oracle oracle(log, bench.dictionary());
    Deliver(log, delivery, bench);
    for (size_t i = 0; i < base::kLossCount; ++i) {
      EXPECT_TRUE(bench.losses().Get(static_cast<base::Loss>(i)) == 0 || GetParam().workload.lost_batch_mark)
          << base::kLossNames[i] << " " << bench.losses().Get(static_cast<base::Loss>(i));
    }
    ASSERT_EQ(bench.out().iterations.size(), oracle.iterations().size());
    for (const auto& [key, iteration] : oracle.iterations()) {
      const LoggedIteration* got = bench.out().FindIteration(std::get<2>(key));
      ASSERT_NE(got, nullptr);
      CompareIteration(key, iteration, *got);
    }
    ASSERT_EQ(bench.out().requests.size(), oracle.requests().size());
    for (const record::RequestId req : oracle.requests()) CompareRequest(req, oracle.Explain(req), bench.out());
  }
}

const Case kCases[] = {
    {"plain", {}, {}},
    {"chunks_and_mixed_batches", {.requests = 40, .chunk = 0.9}, {}},
    {"prefill_alone", {.requests = 40, .chunk = 0.9, .prefill_alone = 0.6}, {.shuffle = true}},
    {"prefill_alone_overlap", {.requests = 40, .overlap = true, .prefill_alone = 0.6}, {.shuffle = true}},
    {"set_each_time", {.deltas = false}, {}},
    {"keyed_parts", {.keyed_parts = true}, {}},
    {"shuffled", {.wait_reasons = 0.7, .host_work = 0.3}, {.shuffle = true}},
    {"shuffled_and_late", {.wait_reasons = 0.7}, {.lateness = 200 * kMs, .shuffle = true}},
    {"rare_advance", {}, {.period = 700 * kMs, .shuffle = true}},
    {"frequent_advance", {}, {.period = 5 * kMs, .shuffle = true}},
    {"overlap", {.requests = 40, .overlap = true}, {}},
    {"overlap_shuffled_late",
     {.requests = 40, .overlap = true, .preempt = 0.03},
     {.lateness = 200 * kMs, .shuffle = true}},
    {"graph_nodes", {.graphs = GraphUse::kNodes, .kernels = 150}, {.lateness = 100 * kMs, .shuffle = true}},
    {"graph_launches", {.graphs = GraphUse::kLaunches}, {.shuffle = true}},
    {"collectives_two_streams", {.kernels = 12, .collectives = true, .second_stream = true}, {.shuffle = true}},
    {"driver_only", {.driver_only = true}, {.shuffle = true}},
    {"nested_calls", {.graphs = GraphUse::kNodes, .nested_calls = true}, {.shuffle = true}},
    {"ids_wrap", {.nested_calls = true, .id_wrap = 300}, {.lateness = 100 * kMs, .shuffle = true}},
    {"preempted", {.requests = 40, .preempt = 0.15, .chunk = 1.0}, {.shuffle = true}},
    {"speculative", {.speculate = 0.6}, {.shuffle = true}},
    {"several_per_send", {.speculate = 0.3, .several_per_send = true}, {.shuffle = true}},
    {"lost_sends", {.lost_send = 0.05}, {.shuffle = true}},
    {"aborted", {.requests = 40, .abort = 0.1}, {.shuffle = true}},
    {"lost_batch_marks", {.requests = 40, .lost_batch_mark = true}, {.shuffle = true}},
    {"dummy_iterations", {.dummy = 0.3}, {.shuffle = true}},
    {"without_gpu_records", {.gpu_records = false}, {.shuffle = true}},
    {"tokens_do_not_name_iterations", {.tokens_name_iteration = false}, {.shuffle = true}},
    {"zero_times", {.kernels = 12, .zero_time = 0.2}, {.shuffle = true}},
    {"alive_at_start", {.alive_at_start = 3}, {.shuffle = true}},
    {"two_processes", {.processes = 2, .wait_reasons = 0.5}, {.shuffle = true}},
    {"three_processes", {.processes = 3, .host_work = 0.3}, {.lateness = 150 * kMs, .shuffle = true}},
    {"everything",
     {.requests = 40,
      .processes = 3,
      .overlap = true,
      .graphs = GraphUse::kNodes,
      .kernels = 30,
      .nested_calls = true,
      .id_wrap = 3000,
      .collectives = true,
      .second_stream = true,
      .lost_batch_mark = true,
      .preempt = 0.03,
      .abort = 0.03,
      .speculate = 0.3,
      .lost_send = 0.01,
      .dummy = 0.1,
      .wait_reasons = 0.5,
      .host_work = 0.3,
      .several_per_send = true},
     {.lateness = 200 * kMs, .shuffle = true}},
};

INSTANTIATE_TEST_SUITE_P(Workloads, OracleTest, ::testing::ValuesIn(kCases),
                         [](const auto& c) { return std::string(c.param.name); });

// A comparison of zeros would prove little: every phase must occur somewhere.
TEST(OracleCoverage, TheWorkloadsTogetherShowEveryPhase) {
  record::TtftPhases ttft{};
  record::GapPhases gaps{};
  std::array<uint64_t, 7> queue_by{};
  for (const Case& c : kCases) {
    Bench bench(SmallConfig(static_cast<uint32_t>(c.workload.processes)));
    const EventLog log = MakeWorkload(c.workload, bench);
    const Oracle oracle(log, bench.dictionary());
    for (const record::RequestId req : oracle.requests()) {
      const OracleRequest request = oracle.Explain(req);
      for (size_t i = 0; i < ttft.size(); ++i) ttft[i] += request.ttft_phases[i];
      for (size_t i = 0; i < queue_by.size(); ++i) queue_by[i] += request.queue_by[i];
      for (const OracleGap& gap : request.gaps) {
        for (size_t i = 0; i < gaps.size(); ++i) gaps[i] += gap.phases[i];
      }
    }
  }
  for (size_t i = 0; i + 1 < ttft.size(); ++i) EXPECT_GT(ttft[i], 0u) << record::kTtftPhaseNames[i];
  for (size_t i = 0; i + 1 < gaps.size(); ++i) EXPECT_GT(gaps[i], 0u) << record::kGapPhaseNames[i];
  for (size_t i = 0; i < queue_by.size(); ++i) {
    if (i == static_cast<size_t>(record::WaitReason::kRemoteKv)) continue;  // that is kv_wait
    EXPECT_GT(queue_by[i], 0u) << record::kWaitReasonTexts[i];
  }
}

}  // namespace
}  // namespace slowtoken::attribution::testing
