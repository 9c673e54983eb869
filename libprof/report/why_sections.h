// The sections of `slowtoken why`, each a block of lines, empty where there is nothing to say. Used by why_text.cc.
#pragma once

#include <slowtoken/v1/report.pb.h>

#include <string>
#include <vector>

#include "report/moment.h"
#include "report/phase_steps.h"
#include "report/waiters.h"
#include "report/why_text.h"

namespace slowtoken::report {

inline constexpr const char* kShowAll = "; --all shows every one";

// why_waterfall.cc: each step with a bar that stands where it does, and of CPU phases how the thread whose turn it was
// spent them. `n`: which token, 0: the first.
std::string WaterfallText(const std::vector<PhaseStep>& steps, uint64_t whole, const Moment& moment, uint32_t n);

// why_life.cc: a request that never came to a first token: where it was, and what the engine said of it.
std::string LifeText(const Moment& moment, const WhyOptions& options);

// why_waiters.cc: whose slow tokens name the request as their evidence.
std::string WaitersText(const Waiters& waiters, const v1::Origin& origin, const Moment& moment,
                        const WhyOptions& options);

// why_around.cc: what happened meanwhile, in iterations and on threads.
std::string IterationsText(const Moment& moment, const WhyOptions& options);
std::string ThreadsText(const Moment& moment, const WhyOptions& options);
std::string WorkText(const Moment& moment, const WhyOptions& options);

// why_gpu.cc; the first, of its first line, serves the page too: "busy for 5 ms of 8 ms"
std::string GpuBusyText(const Moment& moment);
std::string GpuText(const Moment& moment, const WhyOptions& options);

}  // namespace slowtoken::report
