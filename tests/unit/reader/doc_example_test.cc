// docs/TRACE_FORMAT.md shows a trace of one chunk byte by byte. This test records that trace and compares.
// SLOWTOKEN_SOURCE_DIR is the root of the source tree.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "recording.h"

namespace slowtoken::reader {
namespace {

// As `hexdump -C` prints it.
std::string HexDump(const std::string& bytes) {
  std::string out;
  char text[32];
  for (size_t line = 0; line < bytes.size(); line += 16) {
    snprintf(text, sizeof text, "%08zx ", line);
    out += text;
    std::string letters;
    for (size_t i = line; i < line + 16; ++i) {
      if (i % 8 == 0) out += ' ';
      if (i >= bytes.size()) {
        out += "   ";
        continue;
      }
      const auto byte = static_cast<unsigned char>(bytes[i]);
      snprintf(text, sizeof text, "%02x ", byte);
      out += text;
      letters += byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.';
    }
    out += " |" + letters + "|\n";
  }
  return out;
}

// The recording of the example: two launches of one kernel.
std::string Example() {
  trace::FileHeader header;
  header.run_id = "r1";
  header.role = "demo";
  header.pid = 42;
  header.start = 1000;
  Recording recording(header);
  record::KernelShape shape;
  shape.name = recording.dictionary.InternText("_Z4axpyv");
  shape.grid[0] = 8;
  shape.block[0] = 128;
  const record::ShapeId id = recording.dictionary.InternShape(shape);
  const record::LaneId lane = recording.dictionary.InternLane({0, 1, 7, 0});
  recording.out().On(record::Kernel{1100, 1150, 0, 0, 5, id, lane, 0});
  recording.out().On(record::Kernel{1160, 1212, 0, 0, 6, id, lane, 0});
  recording.out().On(record::Advance{1300, 1300, 0});
  recording.out().Finish();
  return recording.sink.bytes;
}

TEST(TraceFormatDoc, HexDumpIsCurrent) {
  std::ifstream in(SLOWTOKEN_SOURCE_DIR "/docs/TRACE_FORMAT.md");
  EXPECT_TRUE(in.good());
  std::stringstream doc;
  doc << in.rdbuf();
  const std::string dump = HexDump(Example());
  EXPECT_NE(doc.str().find(dump), std::string::npos) << "put this into docs/TRACE_FORMAT.md:\n" << dump;
}

}  // namespace
}  // namespace slowtoken::reader
