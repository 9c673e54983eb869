// The section about iterations where no engine said any: what analysis inferred, marked as such. Called once, before
// coverage, which calls the tier 0 all the same.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include "analysis/inferred_iterations.h"
#include "report/options.h"

namespace slowtoken::report {

// Instants count from `origin`.
void FillInferred(const analysis::InferredIterations& inferred, const Options& options, record::TimeNs origin,
                  v1::Iterations& out);

}  // namespace slowtoken::report
