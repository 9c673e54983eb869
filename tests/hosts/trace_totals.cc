// trace_totals DIRECTORY: what the recorder of its one process counted, one `name value` a line: totals of events, and
// each loss that is not 0.
#include <cstdio>

#include "reader/trace_set.h"

namespace {

using namespace slowtoken;

class Totals final : public record::EventVisitor {
 public:
  using EventVisitor::On;
  void On(const record::CaptureTotals& totals) override { totals_ = totals; }
  void On(const record::LossTotals& losses) override { losses_ = losses; }
  void On(const record::OwnCost& cost) override { memory_bytes_ = cost.memory_bytes; }

  void Print() const {
    const auto line = [](const char* name, uint64_t value) {
      std::printf("%s %llu\n", name, static_cast<unsigned long long>(value));
    };
    line("nvtx_events", totals_.nvtx_events);
    line("annotations", totals_.annotations);
    line("kernels", totals_.kernels);
    line("memcpys", totals_.memcpys);
    line("launches", totals_.launches);
    line("graph_launches", totals_.graph_launches);
    line("memory_bytes", memory_bytes_);
    for (size_t i = 0; i < base::kLossCount; ++i) {
      if (losses_.counts[i] != 0) line(base::kLossNames[i], losses_.counts[i]);
    }
  }

 private:
  record::CaptureTotals totals_;
  record::LossTotals losses_;
  uint64_t memory_bytes_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto set = reader::TraceSet::Open({argv[1]});
  if (!set.ok()) {
    std::fprintf(stderr, "%s\n", std::string(set.status().message()).c_str());
    return 3;
  }
  Totals totals;
  if (!(*set)->Replay(totals).ok()) return 3;
  totals.Print();
  return 0;
}
