#include "reader/chunk_tables.h"

#include "reader/bind_columns.h"

namespace slowtoken::reader {

bool ChunkTables::Load(const v1::Chunk& chunk) {
  bad_positions_ = 0;
  timens_offset_ = static_cast<uint64_t>(chunk.header().timens_offset_ns());
  texts_.assign(1, 0);
  shapes_.assign(1, 0);
  lanes_.assign(1, 0);
  for (const std::string& text : chunk.texts()) texts_.push_back(dictionary_.InternText(text));
  requests_.assign(1, 0);
  requests_.insert(requests_.end(), chunk.requests().begin(), chunk.requests().end());

  Cursors shapes, lanes;
  BindColumns(chunk.shapes(), shapes);
  BindColumns(chunk.lanes(), lanes);
  if (!shapes.Check() || !lanes.Check()) return false;
  RowReader read_shape(shapes, *this), read_lane(lanes, *this);
  for (size_t i = 0; i < shapes.rows; ++i) {
    record::KernelShape shape;
    trace::Columns<record::KernelShape>::Each(shape, read_shape);
    shapes_.push_back(dictionary_.InternShape(shape));
  }
  for (size_t i = 0; i < lanes.rows; ++i) {
    record::Lane lane;
    trace::Columns<record::Lane>::Each(lane, read_lane);
    lane.process = process_;
    lanes_.push_back(dictionary_.InternLane(lane));
  }
  return true;
}

}  // namespace slowtoken::reader
