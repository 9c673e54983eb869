// A small trace of one request, written by the real encoder, for the tests of the verbs that read traces.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "../analysis/events.h"
#include "../reader/recording.h"
#include "base/siphash.h"

namespace slowtoken::testing {

using record::AnnotationField;
using record::AnnotationName;
using record::TimeNs;

inline constexpr TimeNs kStart = 1'000'000'000'000;
inline constexpr base::SipKey kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};
inline constexpr const char* kKeyText = "000102030405060708090a0b0c0d0e0f";

inline record::Annotation Mark(AnnotationName name, record::RequestId req, TimeNs at) {
  record::Annotation annotation;
  annotation.name = name;
  annotation.start = annotation.end = at;
  annotation.thread = 100;
  annotation.Set(AnnotationField::kReqId, req);
  return annotation;
}

inline record::Annotation Range(AnnotationName name, uint64_t iter, TimeNs start, TimeNs end) {
  record::Annotation annotation;
  annotation.name = name;
  annotation.kind = record::AnnotationKind::kPushPop;
  annotation.start = start;
  annotation.end = end;
  annotation.thread = annotation.end_thread = 100;
  annotation.Set(AnnotationField::kIterNo, iter);
  return annotation;
}

class TraceTest : public ::testing::Test {
 protected:
  TraceTest() : key_id_(KeyId()) {
    header_.run_id = "00000000000000ab";
    header_.role = "engine";
    header_.pid = 4711;
    header_.start = kStart;
    header_.start_utc = 1'764'500'000'000'000'000;
    header_.key_id = key_id_;
    header_.ids_joinable = true;
    header_.graph_nodes = true;
  }

  static std::string KeyId() {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx",
                  static_cast<unsigned long long>(base::SipHash(kKey, "slowtoken key id")));
    return text;
  }

  // One request of two tokens over two iterations of one kernel each.
  void PlayRequest(trace::ChunkEncoder& out, record::Dictionary& dictionary, bool gpu) {
    const record::RequestId req = base::SipHash(kKey, "chatcmpl-1");
    record::KernelShape shape;
    shape.name = dictionary.InternText("_Z4gemmPf");
    const record::ShapeId gemm = dictionary.InternShape(shape);
    const record::LaneId lane = dictionary.InternLane({.device = 0, .context = 1, .stream = 7, .process = 0});
    out.On(DeviceOf(0x5A));
    record::Annotation request = RequestRange(req, base_ + 1'000'000, base_ + 60'000'000);
    request.range_id = 1;
    request.thread = request.end_thread = 100;
    request.Set(AnnotationField::kNPrompt, 64);
    out.On(request);
    if (clear_ids_) out.On(record::RequestIdText{req, "chatcmpl-1", 0});
    out.On(Mark(AnnotationName::kReqQueued, req, base_ + 2'000'000));
    for (uint32_t i = 0; i < 2; ++i) {
      const TimeNs at = base_ + 10'000'000 + i * TimeNs{20'000'000};
      out.On(Range(AnnotationName::kIterSchedule, i, at, at + 500'000));
      record::Annotation batch = Mark(AnnotationName::kBatch, 0, at + 400'000);
      batch.present = 0;
      batch.Set(AnnotationField::kIterNo, i);
      batch.Set(AnnotationField::kSeq, i);
      batch.batch_is_set = true;
      const record::BatchRow rows[] = {
          {req, i == 0 ? 64u : 1u, i == 0 ? record::RowKind::kPrefill : record::RowKind::kDecode, record::RowOp::kSet}};
      batch.rows = rows;
      out.On(batch);
      out.On(LaunchCall(i + 1, at + 1'000'000, at + 1'010'000));
      if (gpu) out.On(KernelAt(i + 1, at + 1'020'000, at + 9'000'000, gemm, lane));
      out.On(Range(AnnotationName::kIterForward, i, at + 900'000, at + 2'000'000));
      out.On(Range(AnnotationName::kIter, i, at, at + 10'000'000));
      record::Annotation token = Mark(AnnotationName::kReqToken, req, at + 9'500'000);
      token.Set(AnnotationField::kN, i + 1);
      token.Set(AnnotationField::kNNew, 1);
      token.Set(AnnotationField::kIterNo, i);
      out.On(token);
    }
    record::Annotation finish = Mark(AnnotationName::kReqFinish, req, base_ + 50'000'000);
    finish.Set(AnnotationField::kFinishReason, static_cast<uint64_t>(record::FinishReason::kStop));
    out.On(finish);
  }

  std::string Write(bool gpu, bool end) {
    reader::Recording recording(header_);
    for (const auto& [name, value] : conditions_)
      recording.out().On(
          record::Condition{recording.dictionary.InternText(name), recording.dictionary.InternText(value), 0});
    PlayRequest(recording.out(), recording.dictionary, gpu);
    if (!gpu) {
      record::SourceStatus status;
      status.state = record::SourceState::kNoDriver;
      status.detail = recording.dictionary.InternText("no NVIDIA driver in this container; start it with --gpus all");
      status.time = base_ + 1;
      recording.out().On(status);
    }
    for (const record::RequestId req : other_requests_)
      recording.out().On(Mark(AnnotationName::kReqQueued, req, base_ + 3'000'000));
    for (const record::Annotation& annotation : more_) recording.out().On(annotation);
    record::Advance advance;
    advance.watermark = base_ + 100'000'000;
    recording.out().On(advance);
    if (end) recording.out().Finish();
    return dir_.Write("engine-4711-0a0b0c0d.stt", recording.sink.bytes);
  }

  reader::TempDir dir_;
  std::string key_id_;
  trace::FileHeader header_;
  TimeNs base_ = kStart;
  bool clear_ids_ = false;
  std::vector<record::RequestId> other_requests_;  // of which hardly anything was seen
  std::vector<record::Annotation> more_;           // what the engine says beside
  std::map<std::string, std::string> conditions_;  // told by the process
};

}  // namespace slowtoken::testing
