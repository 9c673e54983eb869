#include "report/inferred.h"

#include "analysis/log_histogram.h"
#include "report/report_builder.h"

namespace slowtoken::report {
namespace {

using analysis::InferredIteration;

void Count(const InferredIteration& iteration, v1::Iterations& out) {
  out.set_count(out.count() + 1);
  const bool piecewise = iteration.graph_launches > 1;
  if (piecewise) {
    out.set_piecewise(out.piecewise() + 1);
  } else if (iteration.graph_launches == 1) {
    out.set_graph(out.graph() + 1);
  } else {
    out.set_eager(out.eager() + 1);
  }
  v1::Inferred& by = *out.mutable_inferred();
  switch (iteration.kind) {
    case InferredIteration::kDecode:
      return by.set_decode(by.decode() + 1);
    case InferredIteration::kPrefill:
      return by.set_prefill(by.prefill() + 1);
    case InferredIteration::kMixed:
      out.set_mixed(out.mixed() + 1);
      return by.set_mixed(by.mixed() + 1);
    case InferredIteration::kUnknown:
      return by.set_unknown(by.unknown() + 1);
  }
}

void List(const InferredIteration& iteration, uint64_t number, record::TimeNs origin, v1::Iterations& out) {
  v1::Iteration& listed = *out.add_list();
  listed.set_iter(number);
  listed.set_start_ns(iteration.start > origin ? iteration.start - origin : 0);
  listed.set_dur_ns(iteration.end - iteration.start);
  listed.set_kernels(iteration.kernels);
  listed.set_graph(iteration.graph_launches != 0);
  listed.set_inferred(InferredIteration::kKindNames[iteration.kind]);
  if (iteration.gpu_start != 0) listed.set_gpu_ns(iteration.busy_ns);
}

}  // namespace

void FillInferred(const analysis::InferredIterations& inferred, const Options& options, record::TimeNs origin,
                  v1::Iterations& out) {
  if (inferred.all().empty() || out.count() + out.dummy() != 0) return;
  analysis::LogHistogram duration, gpu, between;
  uint64_t number = 0;
  for (const InferredIteration& iteration : inferred.all()) {
    Count(iteration, out);
    duration.Add(iteration.end - iteration.start);
    if (iteration.gpu_start != 0) gpu.Add(iteration.busy_ns);
    if (iteration.since_last_ns != 0) between.Add(iteration.since_last_ns);
    if (options.iterations) List(iteration, ++number, origin, out);
  }
  out.set_batch_unknown(out.count());
  *out.mutable_duration() = ToDistribution(duration);
  *out.mutable_gpu() = ToDistribution(gpu);
  *out.mutable_inferred()->mutable_between_decodes() = ToDistribution(between);
}

}  // namespace slowtoken::report
