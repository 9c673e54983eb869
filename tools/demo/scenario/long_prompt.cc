// long_prompt: a request whose own prompt takes `length` to prefill. chunk_interleaving: one whose few chunks lie far
// apart, because the scheduler lets the others decode between them.
#include <algorithm>

#include "scenario/injector.h"

namespace slowtoken::demo {
namespace {

constexpr int64_t kChunks = 4, kChunkTokens = 64, kLongPromptAnswer = 4;

class LongPromptInjector : public Injector {
 public:
  using Injector::Injector;

  void Start() override { SendRequest(interleaved() ? kChunks * kChunkTokens : LongPrompt(), kLongPromptAnswer); }
  void BeforeSchedule(TimeNs now) override {
    if (began_ == 0) began_ = now;
    over_ = over_ || now - began_ > injection_.length + kGiveUp;
  }
  void OnQueued(Request& request) override {
    if (request.id != OwnId() || !interleaved()) return;
    const int64_t pauses = kChunks - 1;
    request.chunk_tokens = kChunkTokens;
    request.chunk_pause = std::max<int64_t>(1, injection_.length / (1000 * stage_.config.decode_us) / pauses);
  }
  void OnPlan(const std::vector<Row>& rows, Plan&) override {
    mine_ = nullptr;
    for (const Row& row : rows)
      if (row.request->id == OwnId()) mine_ = &row;
    if (!mine_) return;
    yields_ = mine_->yields;
    if (outcome_.time.start == 0 && !interleaved()) outcome_.time.start = NowNs();
    if (yields_ && interleaved()) End();
  }
  void OnResult(const std::vector<Row>&, const PlanResult&) override {
    if (!mine_) return;
    if (interleaved() && outcome_.time.start == 0) outcome_.time.start = NowNs();
    if (yields_ && !interleaved()) End();
  }
  bool done() const override { return over_; }

 private:
  bool interleaved() const { return injection_.scenario == Scenario::kChunkInterleaving; }
  int64_t LongPrompt() const {
    const int64_t wanted = injection_.length / std::max<int64_t>(1, 1000 * stage_.config.prefill_us_per_token);
    return std::clamp<int64_t>(wanted, 1, stage_.scheduler.kv().capacity_tokens() / 2);
  }
  // Where the others had all ended, there was nobody to be interleaved with.
  void End() {
    outcome_.time.end = NowNs();
    over_ = true;
    if (!interleaved() || outcome_.time.end - outcome_.time.start >= injection_.length / 2)
      outcome_.requests = {OwnId()};
  }

  const Row* mine_ = nullptr;  // of the iteration under way
  bool yields_ = false, over_ = false;
  TimeNs began_ = 0;
};

}  // namespace

std::unique_ptr<Injector> MakeLongPromptInjector(const Injection& injection, Stage& stage) {
  return std::make_unique<LongPromptInjector>(injection, stage);
}

}  // namespace slowtoken::demo
