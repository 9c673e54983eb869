// Short ways to make the events that the tests of analysis, report and export need.
#pragma once

#include "base/arena.h"
#include "base/loss.h"
#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::testing {

// A dictionary with memory of its own.
class TestDictionary {
 public:
  TestDictionary() {
    arena_.Reserve(8u << 20, false);
    dictionary_.Init(arena_, {.texts = 1000, .text_bytes = 4u << 20, .shapes = 1000, .lanes = 100}, losses_);
  }
  ~TestDictionary() { arena_.Release(); }
  record::Dictionary* operator->() { return &dictionary_; }
  record::Dictionary& operator*() { return dictionary_; }

  record::ShapeId Shape(std::string_view name) {
    record::KernelShape shape;
    shape.name = dictionary_.InternText(name);
    return dictionary_.InternShape(shape);
  }
  record::LaneId Lane(uint32_t stream, record::ProcessIndex process = 0, uint32_t device = 0) {
    return dictionary_.InternLane({.device = device, .context = 1, .stream = stream, .process = process});
  }

 private:
  base::Arena arena_;
  base::LossCounters losses_;
  record::Dictionary dictionary_;
};

inline record::ApiCall LaunchCall(record::CorrelationId correlation, record::TimeNs start, record::TimeNs end,
                                  record::ApiClass api_class = record::ApiClass::kKernelLaunch,
                                  record::ProcessIndex process = 0) {
  record::ApiCall call;
  call.start = start;
  call.end = end;
  call.correlation = correlation;
  call.api_class = api_class;
  call.thread = 100;
  call.process = process;
  return call;
}

inline record::Kernel KernelAt(record::CorrelationId correlation, record::TimeNs start, record::TimeNs end,
                               record::ShapeId shape, record::LaneId lane, record::ProcessIndex process = 0) {
  record::Kernel kernel;
  kernel.start = start;
  kernel.end = end;
  kernel.correlation = correlation;
  kernel.shape = shape;
  kernel.lane = lane;
  kernel.process = process;
  return kernel;
}

inline record::Memcpy CopyAt(record::CorrelationId correlation, record::TimeNs start, record::TimeNs end,
                             record::LaneId lane) {
  record::Memcpy copy;
  copy.start = start;
  copy.end = end;
  copy.correlation = correlation;
  copy.lane = lane;
  copy.bytes = 1024;
  copy.copy_kind = record::CopyKind::kDtoH;
  return copy;
}

inline record::Annotation RequestRange(record::RequestId req, record::TimeNs start, record::TimeNs end) {
  record::Annotation annotation;
  annotation.name = record::AnnotationName::kReq;
  annotation.kind = record::AnnotationKind::kStartEnd;
  annotation.start = start;
  annotation.end = end;
  annotation.Set(record::AnnotationField::kReqId, req);
  return annotation;
}

inline record::DeviceInfo DeviceOf(uint8_t uuid_byte, uint32_t ordinal = 0, record::ProcessIndex process = 0) {
  record::DeviceInfo info;
  for (uint8_t& byte : info.uuid) byte = uuid_byte;
  info.ordinal = ordinal;
  info.process = process;
  return info;
}

}  // namespace slowtoken::testing
