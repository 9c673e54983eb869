// Writes what stands in a trace as lines of JSON, one list an event, for tests that compare it with what another
// program counted. usage: trace_dump TRACE…
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "reader/trace_set.h"

namespace {

using namespace slowtoken;
using Json = nlohmann::json;

class Dump final : public record::EventVisitor {
 public:
  explicit Dump(const reader::TraceSet& set) : set_(&set) {}

  using EventVisitor::On;
  void On(const record::Kernel& e) override {
    Print({"kernel", e.process, e.start, e.end, Text(set_->dictionary().shape(e.shape).name), e.correlation,
           Lane(e.lane).device, Lane(e.lane).stream});
  }
  void On(const record::Memcpy& e) override {
    Print({"copy", e.process, e.start, e.end, static_cast<int>(e.copy_kind), e.correlation, Lane(e.lane).device,
           Lane(e.lane).stream, e.bytes});
  }
  void On(const record::Memset& e) override {
    Print({"set", e.process, e.start, e.end, e.correlation, Lane(e.lane).device, Lane(e.lane).stream, e.bytes});
  }
  void On(const record::ApiCall& e) override {
    Print({"call", e.process, e.start, e.end, Text(e.name), e.correlation, e.thread});
  }
  void On(const record::NvtxDomainInfo& e) override { Print({"domain", e.process, e.domain, Text(e.name)}); }
  void On(const record::NvtxRange& e) override {
    if (e.end != 0) Print({"range", e.process, e.start, e.end, Text(e.message), e.domain, e.thread, e.fields.size()});
  }

 private:
  std::string Text(record::StringId id) const { return std::string(set_->dictionary().text(id)); }
  const record::Lane& Lane(record::LaneId lane) const { return set_->dictionary().lane(lane); }
  static void Print(const Json& line) { std::puts(line.dump(-1, ' ', true, Json::error_handler_t::replace).c_str()); }
  const reader::TraceSet* set_;
};

}  // namespace

int main(int argc, char** argv) {
  const auto set = reader::TraceSet::Open(std::vector<std::string>(argv + 1, argv + argc));
  if (!set.ok()) {
    std::fprintf(stderr, "trace_dump: %s\n", std::string(set.status().message()).c_str());
    return 3;
  }
  Dump dump(**set);
  return (*set)->Replay(dump).ok() ? 0 : 3;
}
