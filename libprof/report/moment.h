// Moment: what happened around one request in a window of time: the iterations, what ran on the GPU, what each thread
// did. A visitor over the events of a trace, with another for what was concluded from them; `slowtoken why` reads a
// trace with it. Single threaded, offline. Memory grows with what is in the window only.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/graph_paths.h"
#include "analysis/interval_union.h"
#include "analysis/request_texts.h"
#include "analysis/thread_roles.h"
#include "attribution/phase_thread_visitor.h"
#include "record/dictionary.h"
#include "record/visitor.h"
#include "report/request_life.h"

namespace slowtoken::report {

class Moment final : public record::EventVisitor, public attribution::PhaseThreadVisitor {
 public:
  struct Window {
    record::TimeNs start = 0, end = 0;
    record::RequestId req = 0;
  };
  // `paths`: what graph nodes were captured in, as found in another reading of the same traces. `texts`: where several
  // moments share one; then only one of them need be given the ids.
  Moment(const record::Dictionary& dictionary, const Window& window, analysis::GraphPaths paths = {},
         std::shared_ptr<analysis::RequestTexts> texts = std::make_shared<analysis::RequestTexts>())
      : dictionary_(&dictionary),
        window_(window),
        conclusions_(*this),
        life_(window.req),
        request_texts_(std::move(texts)),
        paths_(std::move(paths)) {}
  Moment(const Moment&) = delete;  // its part points to it
  Moment& operator=(const Moment&) = delete;

  // For what was concluded about iterations, each once: the events of a trace hold what its process concluded alone.
  record::EventVisitor& conclusions() { return conclusions_; }

  using EventVisitor::On;
  void On(const record::Kernel& kernel) override;
  void On(const record::GraphLaunch& graph) override;
  void On(const record::Annotation& annotation) override;
  void On(const record::ApiCall& call) override;
  void On(const record::OffCpu& off) override;
  void On(const record::CpuSample& sample) override;
  void On(const record::ThreadInfo& thread) override;
  void On(const attribution::PhaseThread& spent) override {
    if (spent.req == window_.req) phase_threads_.push_back(spent);
  }
  void On(const record::RequestIdText& text) override { request_texts_->Add(text); }

  struct Iteration {
    record::IterationSummary summary;  // `rows` is not valid: see the member beside it
    std::vector<record::BatchRow> rows;
    bool own = false;  // the request is in it
  };
  struct Thread {
    std::string name;
    uint64_t known_ns = 0;       // of the window, in which its every switch was recorded
    uint64_t off_ns = 0;         // off the CPU
    uint64_t waited_ns() const;  // of it, runnable without one
    uint64_t preempted_ns = 0;
    uint64_t waited_by_totals_ns = 0;
    uint32_t migrations = 0;                 // to another CPU
    std::map<std::string, uint64_t> ranges;  // annotation ranges and CUDA calls, ns within the window
  };
  using ThreadKey = std::pair<record::ProcessIndex, record::ThreadId>;

  const Window& window() const { return window_; }
  std::vector<Iteration> Iterations() const;  // in order of start: those of the window that had to do with the GPU
  const std::map<ThreadKey, Thread>& threads() const { return threads_; }
  std::string_view RoleOf(const ThreadKey& thread) const;
  std::string NameOf(record::RequestId req) const;       // its clear id where a trace has it, else its pseudonym
  std::string ShortNameOf(record::RequestId req) const;  // of a pseudonym as much as tells it from most others
  const RequestLife& life() const { return life_; }
  // How a CPU phase of token `n` of the request (0: the first) was spent; nullptr where it was nobody's turn.
  const attribution::PhaseThread* SpentIn(uint32_t n, size_t phase) const;
  // KV work and rare host work (kv.*, adapter.load, model.load, jit, gc) within the window, by start.
  std::vector<record::Annotation> Work() const;
  std::vector<std::pair<std::string, uint64_t>> TopKernels() const;  // demangled, safe; longest first
  // GPU time inside graph replays by what was captured in which ranges, numbers as #; longest first.
  std::vector<std::pair<std::string, uint64_t>> TopCapturedRanges() const;
  uint64_t GpuBusyNs() const { return gpu_.covered(); }
  uint64_t GraphBusyNs() const { return graphs_.covered(); }      // of it inside graph replays
  uint64_t WholeReplaysNs() const { return replays_.covered(); }  // of that in replays recorded as one
  const record::Dictionary& dictionary() const { return *dictionary_; }

 private:
  class Conclusions final : public record::EventVisitor {
   public:
    explicit Conclusions(Moment& all) : all_(&all) {}
    using EventVisitor::On;
    void On(const record::IterationSummary& iteration) override { all_->Add(iteration); }

   private:
    Moment* all_;
  };

  void Add(const record::IterationSummary& iteration);
  uint64_t Within(record::TimeNs start, record::TimeNs end) const;
  void AddRange(record::ProcessIndex process, record::ThreadId thread, std::string name, record::TimeNs start,
                record::TimeNs end);

  const record::Dictionary* dictionary_;
  Window window_;
  Conclusions conclusions_;
  std::vector<Iteration> iterations_;
  std::map<ThreadKey, Thread> threads_;
  RequestLife life_;
  std::vector<attribution::PhaseThread> phase_threads_;  // of the request
  std::vector<record::Annotation> work_;
  std::shared_ptr<analysis::RequestTexts> request_texts_;
  analysis::ThreadRoles roles_;  // by all that is read, not by the window alone
  analysis::GraphPaths paths_;
  std::map<record::StringId, uint64_t> kernels_;
  std::map<std::string, uint64_t> captured_ranges_;
  analysis::IntervalUnion gpu_, graphs_, replays_;
};

}  // namespace slowtoken::report
