// RandomEvents: events of every kind with random fields, extremes included (0, 1, 2^31, 2^63 - 1, 2^63, 2^64 - 1), for
// property tests. Deterministic for a seed.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::reader {

class RandomEvents {
 public:
  static constexpr int kKinds = 34;  // all of EventVisitor but Advance
  static constexpr int kDetailChange = 27;

  RandomEvents(uint64_t seed, record::Dictionary& dictionary);

  // Delivers one event of kind 0 … kKinds - 1. `extreme`: fields are often extreme values.
  void Emit(int kind, bool extreme, record::EventVisitor& out);
  void EmitAny(bool extreme, record::EventVisitor& out) { Emit(static_cast<int>(Below(kKinds)), extreme, out); }

  uint64_t Below(uint64_t limit) { return random_() % limit; }

 private:
  uint64_t Number();
  template <typename T>
  T Any() {
    return static_cast<T>(Number());
  }
  template <typename E>
  E AnyEnum(int count) {
    return static_cast<E>(Below(static_cast<uint64_t>(count)));
  }
  bool Coin() { return Below(2) == 1; }
  record::StringId Text() { return texts_[Below(texts_.size())]; }
  record::ShapeId Shape() { return shapes_[Below(shapes_.size())]; }
  record::LaneId Lane() { return lanes_[Below(lanes_.size())]; }
  std::vector<record::PayloadField> Fields();
  std::vector<record::BatchRow> Rows();
  void EmitGpu(int kind, record::EventVisitor& out);
  void EmitHost(int kind, record::EventVisitor& out);
  void EmitAnnotation(record::EventVisitor& out);
  void EmitResource(int kind, record::EventVisitor& out);
  void EmitSession(int kind, record::EventVisitor& out);
  void EmitSummary(int kind, record::EventVisitor& out);
  void EmitRequestSummary(record::EventVisitor& out);
  void EmitGapSummary(record::EventVisitor& out);
  void EmitIterationSummary(record::EventVisitor& out);
  record::CauseFinding Finding();
  void EmitHistogram(record::EventVisitor& out);
  void EmitRecorder(int kind, record::EventVisitor& out);
  void EmitDeviceSample(record::EventVisitor& out);

  std::mt19937_64 random_;
  bool extreme_ = false;
  std::vector<record::StringId> texts_;
  std::vector<record::ShapeId> shapes_;
  std::vector<record::LaneId> lanes_;
};

}  // namespace slowtoken::reader
