#include "server/roles.h"

#include <signal.h>
#include <slowtoken/llmserve.h>
#include <sys/prctl.h>

#include <cstdio>

#include "core/channel.h"
#include "core/truth.h"
#include "gpu/gpu_worker.h"
#include "server/engine.h"
#include "server/jitter_probe.h"

namespace slowtoken::demo {
namespace {

// What every child does first. It gets a name of its own, which tools show and put into file names. A terminal's ^C
// reaches every process, but the children end when the frontend closes their channel, so that nothing is lost.
void BecomeChild(const char* name) {
  prctl(PR_SET_NAME, name);
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
}

int Report(const char* role, const absl::Status& status) {
  if (status.ok()) return 0;
  std::fprintf(stderr, "slowtoken-demo: %s: %s\n", role, std::string(status.message()).c_str());
  return 1;
}

// Says over `channel` that this part is ready, or why not.
void TellReady(Channel& channel, const absl::Status& status) {
  Ready ready{std::string(status.message())};
  channel.Send(Encode(ready));
}

// The worker process behind a channel.
class RemoteWorker : public WorkerPort {
 public:
  explicit RemoteWorker(Channel& channel) : channel_(channel) {}

  absl::Status WaitReady() {
    const std::optional<std::string> message = channel_.Receive();
    const std::optional<Ready> ready = message ? Decode<Ready>(*message) : std::nullopt;
    if (!ready) return absl::InternalError("the GPU worker ended before it was ready");
    return ready->error.empty() ? absl::OkStatus() : absl::InternalError(ready->error);
  }

  PlanResult Run(const Plan& plan) override {
    Plan message = plan;
    if (channel_.Send(Encode(message)))
      if (const std::optional<std::string> answer = channel_.Receive())
        if (std::optional<PlanResult> result = Decode<PlanResult>(*answer)) return std::move(*result);
    PlanResult failed;
    failed.error = "the GPU worker is gone";
    return failed;
  }

 private:
  Channel& channel_;
};

}  // namespace

int RunEngine(const Options& options) {
  BecomeChild("demo-engine");
  Channel frontend(kUpstreamFd);
  TruthFile truth;
  if (absl::Status status = truth.Open(options.truth, false); !status.ok()) return Report("engine", status);
  const JitterProbe probe(truth);
  GpuWorker worker(options.config, options.seed, truth);
  const absl::Status started = worker.Start();
  TellReady(frontend, started);
  if (!started.ok()) return 1;  // the frontend reports it
  return Report("engine", Engine(options.config, frontend, worker, truth, options.injections).Run());
}

int RunScheduler(const Options& options) {
  BecomeChild("demo-scheduler");
  Channel frontend(kUpstreamFd), downstream(kDownstreamFd);
  TruthFile truth;
  if (absl::Status status = truth.Open(options.truth, false); !status.ok()) return Report("scheduler", status);
  const JitterProbe probe(truth);
  (void)llmserve_enabled();  // a tool is loaded now, not by the first request
  RemoteWorker worker(downstream);
  const absl::Status started = worker.WaitReady();
  TellReady(frontend, started);
  if (!started.ok()) return 1;
  return Report("scheduler", Engine(options.config, frontend, worker, truth, options.injections).Run());
}

int RunWorker(const Options& options) {
  BecomeChild("demo-worker");
  Channel scheduler(kUpstreamFd);
  TruthFile truth;
  if (absl::Status status = truth.Open(options.truth, false); !status.ok()) return Report("worker", status);
  const JitterProbe probe(truth);
  GpuWorker worker(options.config, options.seed, truth);
  const absl::Status started = worker.Start();
  TellReady(scheduler, started);
  if (!started.ok()) return 1;
  JitterProbe::Watch("worker");
  while (const std::optional<std::string> message = scheduler.Receive()) {
    const std::optional<Plan> plan = Decode<Plan>(*message);
    if (!plan) continue;
    PlanResult result = worker.Run(*plan);
    if (!scheduler.Send(Encode(result))) break;
  }
  return 0;
}

}  // namespace slowtoken::demo
