#include "replay/sse_reader.h"

#include <gmock/gmock.h>

namespace slowtoken::demo {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> ReadInPieces(const std::string& stream, size_t piece) {
  SseReader reader;
  std::vector<std::string> events;
  for (size_t at = 0; at < stream.size(); at += piece)
    reader.Feed(std::string_view(stream).substr(at, piece), [&](std::string_view data) { events.emplace_back(data); });
  return events;
}

TEST(SseReader, AnyPiecesGiveTheSameEvents) {
  const std::string stream = "data: {\"n\":1}\n\ndata: two\n\n: comment\n\ndata: [DONE]\n\ndata: cut off";
  for (size_t piece = 1; piece <= stream.size(); ++piece)
    EXPECT_THAT(ReadInPieces(stream, piece), ElementsAre("{\"n\":1}", "two", "[DONE]")) << piece;
}

}  // namespace
}  // namespace slowtoken::demo
