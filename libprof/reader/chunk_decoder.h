// ChunkDecoder: one parsed chunk -> events. Resolves positions to ids of the common dictionary, sets `process`, takes a
// time namespace's offset off. Used by TraceFile. Single threaded, offline; about 50 ns a kernel.
// A batch that contradicts itself is left out and named in problems(); everything else is delivered.
#pragma once

#include <string>
#include <vector>

#include "reader/chunk_tables.h"
#include "reader/state_filter.h"
#include "record/visitor.h"

namespace slowtoken::reader {

class ChunkDecoder {
 public:
  ChunkDecoder(record::Dictionary& dictionary, record::ProcessIndex process) : tables_(dictionary, process) {}

  // Interns what the chunk defines. Before the others, once per chunk.
  void Load(const v1::Chunk& chunk);

  // Resources, source states, conditions, totals, clock snapshots and the detail level. With a filter only those that
  // are new or have changed.
  void DeliverState(const v1::Chunk& chunk, record::EventVisitor& out, StateFilter* filter);
  // The batch membership when the chunk began, as `batch` annotations.
  void DeliverBatchesAtStart(const v1::Chunk& chunk, record::EventVisitor& out);
  // That chunks are missing whose events lie between `from` and `to`: each source that records when this chunk begins
  // was blind for so long.
  void DeliverMissing(const v1::Chunk& chunk, record::TimeNs from, record::TimeNs to, record::EventVisitor& out);
  void DeliverEvents(const v1::Chunk& chunk, record::EventVisitor& out);
  // What was open when the chunk ended.
  void DeliverOpen(const v1::Chunk& chunk, record::EventVisitor& out);
  void DeliverAdvance(const v1::Chunk& chunk, record::EventVisitor& out);

  const ChunkTables& tables() const { return tables_; }
  // What contradicts itself in the newest chunk, one phrase each.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  template <typename Event, typename BatchMessage>
  void Simple(const BatchMessage& batch, const char* name, record::EventVisitor& out);
  void Clocks(const v1::ClockSnapshotBatch& batch, record::EventVisitor& out, StateFilter* filter);
  void DetailChanges(const v1::DetailChangeBatch& batch, record::EventVisitor& out, StateFilter* filter);
  void Kernels(const v1::KernelBatch& batch, record::EventVisitor& out);
  void ApiCalls(const v1::ApiCallBatch& batch, record::EventVisitor& out);
  void Ranges(const v1::NvtxRangeBatch& batch, record::EventVisitor& out);
  void Marks(const v1::NvtxMarkBatch& batch, record::EventVisitor& out);
  void Annotations(const v1::AnnotationBatch& batch, record::EventVisitor& out);
  void RequestIdTexts(const v1::RequestIdTextBatch& batch, record::EventVisitor& out);
  void RequestSummaries(const v1::RequestSummaryBatch& batch, record::EventVisitor& out);
  void GapSummaries(const v1::GapSummaryBatch& batch, record::EventVisitor& out);
  void IterationSummaries(const v1::IterationSummaryBatch& batch, record::EventVisitor& out);
  void Histograms(const v1::HistogramSnapshotBatch& batch, record::EventVisitor& out);
  void Problem(const char* batch) { problems_.push_back(std::string("the ") + batch + " contradict each other"); }

  ChunkTables tables_;
  std::vector<std::string> problems_;
};

}  // namespace slowtoken::reader
