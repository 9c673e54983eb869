// RunFrontend: the process the user started.
#include <fcntl.h>
#include <signal.h>
#include <slowtoken/llmserve.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "core/channel.h"
#include "core/truth.h"
#include "gpu/gpu_worker.h"
#include "scenario/frontend_orders.h"
#include "server/engine.h"
#include "server/frontend.h"
#include "server/http_server.h"
#include "server/jitter_probe.h"
#include "server/process.h"
#include "server/roles.h"

namespace slowtoken::demo {
namespace {

constexpr int kChildGraceMs = 5000;

int Fail(const std::string& message) {
  std::fprintf(stderr, "slowtoken-demo: %s\n", message.c_str());
  return 1;
}

// Starts the other processes. `engine_fd` is their end of the frontend's channel; closed here afterwards.
std::vector<pid_t> SpawnChildren(const Options& options, int engine_fd) {
  const auto spawn = [&](const char* role, const std::vector<PassedFd>& fds) {
    std::vector<std::string> arguments = options.arguments;
    arguments.push_back(std::string("--role=") + role);
    return SpawnSelf(arguments, fds);
  };
  std::vector<pid_t> children;
  if (options.split == 2) {
    children.push_back(spawn("engine", {{engine_fd, kUpstreamFd}}));
  } else {
    const auto [scheduler_fd, worker_fd] = Channel::Pair();
    children.push_back(spawn("scheduler", {{engine_fd, kUpstreamFd}, {scheduler_fd, kDownstreamFd}}));
    children.push_back(spawn("worker", {{worker_fd, kUpstreamFd}}));
    close(scheduler_fd);
    close(worker_fd);
  }
  close(engine_fd);
  return children;
}

// The engine of --split=1: a thread that owns the GPU worker. Ends the server if the GPU fails.
void EngineThread(const Options& options, int fd, TruthFile& truth, absl::Status& status) {
  pthread_setname_np(pthread_self(), "engine");
  Channel frontend(fd);
  GpuWorker worker(options.config, options.seed, truth);
  status = worker.Start();
  Ready ready{std::string(status.message())};
  frontend.Send(Encode(ready));
  if (!status.ok()) return;
  status = Engine(options.config, frontend, worker, truth, options.injections).Run();
  if (!status.ok()) kill(getpid(), SIGTERM);
}

// Waits for SIGTERM or SIGINT, or for a child that ended. True if the user asked to stop. A child that somebody stops
// for a moment goes on.
bool AwaitEnd(const sigset_t& signals) {
  siginfo_t info;
  do {
    while (sigwaitinfo(&signals, &info) < 0) continue;
  } while (info.si_signo == SIGCHLD && (info.si_code == CLD_STOPPED || info.si_code == CLD_CONTINUED));
  return info.si_signo != SIGCHLD;
}

// Lets running requests finish, aborts those that do not, and stops.
void DrainAndStop(const Config& config, Frontend& frontend, HttpServer& server) {
  constexpr int kAbortMs = 2000;
  server.Drain();
  const auto wait = [&](int64_t ms) {
    for (const TimeNs deadline = NowNs() + ms * 1'000'000; frontend.active() > 0 && NowNs() < deadline;) usleep(2000);
  };
  wait(config.drain_ms);
  if (frontend.active() > 0) frontend.AbortAll();
  wait(kAbortMs);
  server.Stop();
}

// Serves until told to stop. Returns the exit code.
int Serve(const Options& options, Frontend& frontend, const sigset_t& signals) {
  if (absl::Status status = frontend.WaitReady(); !status.ok()) return Fail(std::string(status.message()));
  HttpServer server(options.config, options.seed, frontend);
  const int port = server.Bind(options.port);
  if (port < 0) return Fail("cannot listen on 127.0.0.1:" + std::to_string(options.port) + "; is the port in use?");
  std::printf("listening on 127.0.0.1:%d\n", port);
  std::fflush(stdout);
  std::thread serving([&] { server.Serve(); });
  const bool asked = AwaitEnd(signals);
  DrainAndStop(options.config, frontend, server);
  serving.join();
  return asked ? 0 : Fail("a process of the server ended unexpectedly");
}

}  // namespace

int RunFrontend(const Options& options) {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&signals, signal);
  const auto [frontend_fd, engine_fd] = Channel::Pair();
  if (frontend_fd < 0) return Fail("cannot create a socket pair");
  TruthFile truth;
  if (absl::Status status = truth.Open(options.truth, true); !status.ok())
    return Fail(std::string(status.message())), 3;
  std::vector<pid_t> children;
  if (options.split > 1) children = SpawnChildren(options, engine_fd);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);  // after the spawn: children start with an ordinary mask
  (void)llmserve_enabled();                       // a tool is loaded now, not by the first request

  const JitterProbe probe(truth);
  absl::Status engine_status;
  std::thread engine;
  int code;
  {
    Channel channel(frontend_fd);
    FrontendOrders orders(options.config, truth);
    Frontend frontend(options.config, channel, truth, options.injections.empty() ? nullptr : &orders);
    orders.Start(frontend);
    if (options.split == 1)
      engine = std::thread([&, fd = engine_fd] { EngineThread(options, fd, truth, engine_status); });
    code = Serve(options, frontend, signals);
    orders.Stop();
  }
  if (engine.joinable()) engine.join();
  if (!engine_status.ok() && code == 0) code = Fail(std::string(engine_status.message()));
  if (!AwaitChildren(children, kChildGraceMs) && code == 0) code = Fail("a process of the server did not end well");
  if (!truth.Close() && code == 0) code = Fail("the truth file could not be written whole");
  return code;
}

}  // namespace slowtoken::demo
