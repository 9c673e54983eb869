#include "report/advice.h"

namespace slowtoken::report {
namespace {

using record::Cause;
using record::EvidenceKind;

const char* ForAPause(EvidenceKind evidence) {
  switch (evidence) {
    case EvidenceKind::kGc:
      return "freeze long-lived objects (gc.freeze) after start-up, or collect between requests";
    case EvidenceKind::kThreadWaited:
      return "give the process more CPUs, pin its threads, or move what else runs on them";
    case EvidenceKind::kThrottled:
      return "raise the CPU limit of the cgroup (a Kubernetes limit), or set none";
    case EvidenceKind::kPageFaults:
      return "lock the pages in memory, or keep model files off a disk that is read on demand";
    default:
      return "find what the thread waits for: a lock, a pipe, a blocking call (its open range says where)";
  }
}

const char* ForTheQueue(Cause cause) {
  switch (cause) {
    case Cause::kQueueKvSpace:
      return "more KV cache (memory fraction, a quantised cache), shorter contexts, or another replica";
    case Cause::kQueueMaxSeqs:
      return "raise the limit of running sequences if the GPU has room, or add a replica";
    case Cause::kQueueBudget:
      return "raise the tokens of an iteration, or limit long prompts";
    case Cause::kQueueRemoteKv:
      return "look at the transfer: its link, and how far the prefill side is behind";
    case Cause::kQueueAdapter:
      return "keep more adapters loaded, or send requests of one adapter to one replica";
    case Cause::kQueueGrammar:
      return "compile grammars ahead, or cache them";
    default:
      return "let the engine say why requests wait (req.waiting), then this report can";
  }
}

}  // namespace

const char* AdviceFor(Cause cause, EvidenceKind evidence) {
  switch (cause) {
    case Cause::kPrefillInterference:
      return "smaller prefill chunks, or prefill on other GPUs";
    case Cause::kSchedulerDelay:
      return "profile the scheduling thread: it computed while the GPU waited";
    case Cause::kKvCacheSync:
      return "preallocate, and move KV blocks asynchronously: such calls cost the thread time, and many wait for the "
             "GPU";
    case Cause::kCollectiveWait:
      return "look at the other ranks of this collective: one of them came late";
    case Cause::kGraphMiss:
      return "capture graphs for these batch sizes, and warm up before serving";
    case Cause::kSampling:
      return "sample on the GPU, or make stop tests and logit processing cheaper";
    case Cause::kPreempted:
      return "fewer running sequences or more KV cache: preempted requests are computed again";
    case Cause::kTransportBackpressure:
      return "look at the sending side: detokeniser, event loop, a slow client";
    case Cause::kHostPaused:
      return ForAPause(evidence);
    case Cause::kGpuSlow:
      return "look at clocks, power and temperature, and at what else uses the GPU";
    case Cause::kProfiler:
      return "lower the detail (--mode=metrics, --graph=launch): this was slowtoken or CUPTI";
    case Cause::kTokenizer:
      return "more tokeniser threads, or a queue of their own for long texts";
    case Cause::kLongPrompt:
      return "nothing is wrong: judge long prompts by a service level of their own, or cache prefixes";
    case Cause::kChunkInterleaving:
      return "let prompts finish before others begin (fewer partial prefills at once)";
    case Cause::kColdStart:
      return "warm up before the first request: load code, capture graphs, fill caches";
    case Cause::kBacklog:
      return "shorter iterations in front: smaller chunks, or fewer iterations launched ahead";
    case Cause::kUnknown:
      return "";
    default:
      return ForTheQueue(cause);
  }
}

}  // namespace slowtoken::report
