// What a text becomes when it is imported: writes the file, imports it, reads the trace with the ordinary reader.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <map>
#include <memory>
#include <vector>

#include "../reader/recording.h"
#include "import/kineto_import.h"
#include "reader/trace_set.h"

namespace slowtoken::importing {

inline std::string Gzip(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// Every event of a trace, in order of delivery. Texts are looked up in `set`.
class Imported final : public record::EventVisitor {
 public:
  explicit Imported(const std::string& bytes) {
    ImportRun run{.id = "00000000000000aa", .writer_version = "test"};
    const std::string source = dir_.Write("source.json", bytes);
    const auto place = [this](const std::string&, uint64_t) -> absl::StatusOr<std::string> {
      return dir_.path() + "/out.stt";
    };
    absl::StatusOr<ImportedTrace> imported = ImportKineto(source, place, run, [](uint64_t, uint64_t) {});
    status = imported.status();
    if (!imported.ok()) return;
    trace = *std::move(imported);
    auto opened = reader::TraceSet::Open({dir_.path() + "/out.stt"});
    EXPECT_TRUE(opened.ok()) << opened.status();
    set = *std::move(opened);
    EXPECT_TRUE(set->Replay(*this).ok());
  }

  using EventVisitor::On;
  void On(const record::Kernel& e) override { kernels.push_back(e); }
  void On(const record::Memcpy& e) override { copies.push_back(e); }
  void On(const record::Memset& e) override { sets.push_back(e); }
  void On(const record::ApiCall& e) override { calls.push_back(e); }
  void On(const record::Synchronization& e) override { syncs.push_back(e); }
  void On(const record::Overhead& e) override { overheads.push_back(e); }
  void On(const record::DeviceInfo& e) override { devices.push_back(e); }
  void On(const record::ClockSnapshot& e) override { clocks.push_back(e); }
  void On(const record::SourceStatus& e) override { sources.push_back(e); }
  void On(const record::ThreadInfo& e) override { thread_names[e.thread] = Text(e.name); }
  void On(const record::NvtxDomainInfo& e) override { domain_names[e.domain] = Text(e.name); }
  void On(const record::Condition& e) override { conditions[Text(e.name)] = Text(e.value); }
  void On(const record::Advance& e) override { advances.push_back(e); }
  void On(const record::NvtxRange& e) override {
    if (e.end == 0) return;  // told again when it has ended
    ranges.push_back(e);
    std::map<std::string, std::string> fields;
    for (const record::PayloadField& field : e.fields) {
      fields[Text(field.name)] = field.type == record::PayloadType::kText
                                     ? Text(static_cast<record::StringId>(field.bits))
                                     : std::to_string(field.bits);
    }
    range_fields.push_back(fields);
  }
  void On(const record::Annotation& e) override {
    if (e.end != 0) annotations.push_back(e);
  }

  std::string Text(record::StringId id) const { return std::string(set->dictionary().text(id)); }
  std::string KernelName(const record::Kernel& kernel) const { return Text(Shape(kernel).name); }
  const record::KernelShape& Shape(const record::Kernel& kernel) const { return set->dictionary().shape(kernel.shape); }
  const record::Lane& Lane(record::LaneId lane) const { return set->dictionary().lane(lane); }
  const reader::ProcessInfo& process() const { return set->processes()[0]; }
  std::string Domain(const record::NvtxRange& range) const {
    const auto found = domain_names.find(range.domain);
    return found == domain_names.end() ? "" : found->second;
  }

  absl::Status status;
  ImportedTrace trace;
  std::unique_ptr<reader::TraceSet> set;
  std::vector<record::Kernel> kernels;
  std::vector<record::Memcpy> copies;
  std::vector<record::Memset> sets;
  std::vector<record::ApiCall> calls;
  std::vector<record::Synchronization> syncs;
  std::vector<record::Overhead> overheads;
  std::vector<record::NvtxRange> ranges;
  std::vector<std::map<std::string, std::string>> range_fields;
  std::vector<record::Annotation> annotations;
  std::vector<record::DeviceInfo> devices;
  std::vector<record::ClockSnapshot> clocks;
  std::vector<record::SourceStatus> sources;
  std::vector<record::Advance> advances;
  std::map<record::ThreadId, std::string> thread_names;
  std::map<record::DomainId, std::string> domain_names;
  std::map<std::string, std::string> conditions;

 private:
  reader::TempDir dir_;
};

}  // namespace slowtoken::importing
