// WriteChunk: lays a finished chunk out as one slowtoken.v1.Chunk. Called by ChunkEncoder on the worker thread, once
// per chunk; costs about one copy of the columns. protozero does the wire format, over a buffer that never throws; it
// stays inside chunk_writer.cc, the one file of the host half compiled with exceptions on (protozero needs that to
// compile, none is ever thrown).
#pragma once

#include <cstdint>
#include <span>

#include "record/dictionary.h"
#include "record/session_events.h"
#include "trace/column_store.h"
#include "trace/file_header.h"
#include "trace/live_state.h"
#include "trace/local_ids.h"

namespace slowtoken::trace {

// One batch of columns: column i of the span has field number i + 1.
struct BatchView {
  uint32_t field = 0;  // in Chunk
  std::span<const Column> columns;
  const Column* bytes = nullptr;  // a column of raw bytes behind the others, or none
};

// A text of the dictionary. A pointer so that chunk_writer.cc sees that it cannot throw (Dictionary is not declared
// so).
using TextOf = std::string_view (*)(const record::Dictionary& dictionary, record::StringId id) noexcept;

// Everything a chunk is made of. Borrowed for the call.
struct ChunkContents {
  const FileHeader& header;
  const record::Advance* advance;  // nullptr: a continuation
  const LiveState& live;
  std::span<const BatchView> batches;
  const ColumnStore& store;
  const record::Dictionary& dictionary;
  TextOf text_of;
  const LocalIds& texts;
  std::span<const record::RequestId> requests;
};

// The number of bytes written to `out`, or 0 if it does not fit.
size_t WriteChunk(const ChunkContents& contents, std::span<uint8_t> out);

}  // namespace slowtoken::trace
