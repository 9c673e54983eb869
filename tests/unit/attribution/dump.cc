#include "dump.h"

#include <sstream>

namespace slowtoken::attribution::testing {
namespace {

template <typename Array>
void List(std::ostream& out, const char* name, const Array& values) {
  out << ' ' << name << "=[";
  for (const uint64_t value : values) out << value << ' ';
  out << ']';
}

void Write(std::ostream& out, const record::RequestSummary& r) {
  out << "request " << r.req << " arrival=" << r.arrival << " end=" << r.end << " ttft=" << r.has_ttft << '/'
      << r.ttft_ns << " finish=" << static_cast<int>(r.finish) << " flags=" << r.flags << " process=" << r.process
      << " prompt=" << r.prompt << " cached=" << r.cached << " tokens=" << r.tokens << " gaps=" << r.gaps
      << " share=" << r.gpu_share_ns << " prefill=" << r.prefill_gpu_ns << '/' << r.prefill_collective_ns << '/'
      << r.prefill_idle_ns << " preemptions=" << r.preemptions << " iterations=" << r.iterations;
  List(out, "phases", r.ttft_phases);
  List(out, "queue_by", r.queue_by);
  out << '\n';
}

void Write(std::ostream& out, const record::GapSummary& g) {
  out << "gap " << g.req << " n=" << g.n << '/' << g.n_new << " start=" << g.start << " ns=" << g.gap_ns
      << " interference=" << g.has_interference << '/' << g.interference_est_ns << '/' << g.median_used_ns
      << " stall=" << g.is_stall << '/' << static_cast<int>(g.largest_phase) << '/' << g.excess_ns
      << " flags=" << g.flags << " process=" << g.process;
  List(out, "phases", g.phases);
  out << '\n';
}

void Write(std::ostream& out, const LoggedIteration& logged) {
  const record::IterationSummary& i = logged.summary;
  out << "iteration " << i.key.engine << '.' << i.key.dp_rank << '.' << i.key.iter << ' ' << i.start << ".." << i.end
      << " gpu=" << i.gpu_start << ".." << i.gpu_end << " sample_end=" << i.sample_end << " busy=" << i.gpu_busy_ns
      << " collective=" << i.collective_ns << " kernels=" << i.kernels << " graphs=" << i.graph_launches << ' '
      << i.graph << i.dummy << i.piecewise << i.batch_known << " rows=" << i.prefill_rows << '/' << i.decode_rows << '/'
      << i.prefill_tokens << " kv=" << i.kv_used << '/' << i.kv_total << " waiting=" << i.waiting << ' ' << i.present
      << " process=" << i.process;
  for (const record::BatchRow& row : logged.rows)
    out << ' ' << row.req << ':' << row.n_tok << ':' << static_cast<int>(row.kind);
  out << '\n';
}

}  // namespace

std::string Dump(const SummaryLog& log) {
  std::ostringstream out;
  for (const LoggedIteration& iteration : log.iterations) Write(out, iteration);
  for (const record::GapSummary& gap : log.gaps) Write(out, gap);
  for (const record::RequestSummary& request : log.requests) Write(out, request);
  for (const LoggedHistogram& h : log.histograms) {
    out << "histogram " << static_cast<int>(h.snapshot.metric) << '.' << static_cast<int>(h.snapshot.label) << ' '
        << h.snapshot.count << ' ' << h.snapshot.sum_ns << ' ' << h.snapshot.max_ns;
    for (const record::HistogramBucket& bucket : h.buckets) out << ' ' << bucket.index << ':' << bucket.count;
    out << '\n';
  }
  for (const record::CounterSnapshot& c : log.counters) {
    out << "counter " << static_cast<int>(c.counter) << '.' << c.label << '.' << c.detail << ' ' << c.value << '\n';
  }
  return out.str();
}

}  // namespace slowtoken::attribution::testing
