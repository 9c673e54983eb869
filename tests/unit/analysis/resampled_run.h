// A run made of another's blocks, drawn with replacement: a second run of the same server, as far as one run can tell.
#pragma once

#include <random>

#include "analysis/run_sample.h"

namespace slowtoken::analysis {

// `block`: consecutive requests that stay together, fewer than the run has.
inline RunSample Resample(const RunSample& run, uint64_t seed, size_t block) {
  std::mt19937_64 random(seed);
  RunSample out;
  out.name = run.name;
  out.seconds = run.seconds;
  while (out.requests.size() < run.requests.size()) {
    const auto from = run.requests.begin() + static_cast<ptrdiff_t>(random() % (run.requests.size() - block));
    out.requests.insert(out.requests.end(), from, from + static_cast<ptrdiff_t>(block));
  }
  out.requests.resize(run.requests.size());
  return out;
}

}  // namespace slowtoken::analysis
