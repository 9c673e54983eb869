// NvtxWorld: everything NVTX of a process, new for each input: names, schemas, queues, and the worker's side. The
// process is its own NVTX tool (tests/unit/nvtx/static_injection.cc). What the calls left is given to a visitor that
// checks what consumers rely on.
#pragma once

#include <memory>

#include "fuzz_input.h"
#include "nvtx/nvtx_source.h"

namespace slowtoken::fuzz {

// Reads all there is of an event.
class EventCheck final : public record::EventVisitor {
 public:
  explicit EventCheck(const record::Dictionary& dictionary) : dictionary_(dictionary) {}
  void On(const record::NvtxRange& e) override {
    Require(e.end == 0 || e.end >= e.start);
    Look(e.message);
    for (const record::PayloadField& field : e.fields) Look(field);
  }
  void On(const record::NvtxMark& e) override {
    Look(e.message);
    for (const record::PayloadField& field : e.fields) Look(field);
  }
  void On(const record::Annotation& e) override {
    Require(static_cast<size_t>(e.name) < std::size(record::kAnnotationTexts));
    for (size_t i = 0; i < record::kAnnotationFieldCount; ++i) {
      const auto field = static_cast<record::AnnotationField>(i);
      if (e.Has(field) && record::kAnnotationFieldTypes[i] == record::FieldType::kText) Look(e.Get(field));
    }
    for (const record::BatchRow& row : e.rows) {
      Require(static_cast<size_t>(row.kind) < std::size(record::kRowKindLetters));
    }
  }
  void On(const record::ThreadInfo& e) override { Look(e.name); }
  void On(const record::NvtxDomainInfo& e) override { Look(e.name); }
  void On(const record::NvtxCategoryInfo& e) override { Look(e.name); }

 private:
  void Look(uint64_t id) {
    Require(id <= dictionary_.text_count());
    for (const char c : dictionary_.text(static_cast<record::StringId>(id))) sum_ = static_cast<char>(sum_ + c);
  }
  void Look(const record::PayloadField& field) {
    Look(field.name);
    if (field.type == record::PayloadType::kText) Look(field.bits);
  }

  const record::Dictionary& dictionary_;
  volatile char sum_ = 0;
};

class NvtxWorld {
 public:
  NvtxWorld() {
    nvtx::Options options;
    options.threads = 2;
    options.chunks = 4;
    options.strings = 64;
    options.recycled_strings = 16;
    options.name_bytes = 16u << 10;
    options.text_limit = 96;
    options.schemas = {.schemas = 32, .entries = 128};
    options.open = {.ranges = 64, .annotations = 64, .field_lists = 16, .pending_ends = 16};
    Require(arena_.Reserve((1u << 20) + nvtx::NvtxSource::MemoryNeeded(options), false));
    Require(dictionary_.Init(arena_, {.texts = 512, .text_bytes = 64u << 10, .shapes = 2, .lanes = 2}, losses_));
    Require(source_.Init(arena_, options, losses_));
    clock_.AddSnapshot(capture::ClockMap::Take(nullptr));
  }
  // What the input registered is forgotten with its recorder.
  ~NvtxWorld() {
    nvtx::g_recorder.exchange(nullptr)->threads.DropKey();
    arena_.Release();
  }
  NvtxWorld(const NvtxWorld&) = delete;
  NvtxWorld& operator=(const NvtxWorld&) = delete;

  void Collect() {
    clock_.AddSnapshot(capture::ClockMap::Take(nullptr));
    EventCheck check(dictionary_);
    capture::CollectContext context{dictionary_, losses_, clock_, check};
    source_.Collect(context);
    source_.ForEachOpen(check);
  }

 private:
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
  nvtx::NvtxSource source_;
  capture::ClockMap clock_;
};

}  // namespace slowtoken::fuzz
