#include "trace/frame.h"

#include <gtest/gtest.h>

namespace slowtoken::trace {
namespace {

FrameHeader Some() {
  FrameHeader header;
  header.codec = Codec::kZstd;
  header.flags = kHasAdvance;
  header.stored_size = 0x01020304;
  header.raw_size = 0x03000001;
  header.payload_crc = 0xdeadbeef;
  header.sequence = 0x1122334455667788;
  header.watermark = UINT64_MAX - 1;
  return header;
}

TEST(Frame, HeaderRoundTrip) {
  const FrameHeaderBytes bytes = EncodeFrameHeader(Some());
  FrameHeader got;
  ASSERT_EQ(DecodeFrameHeader(bytes, got), FrameCheck::kGood);
  EXPECT_EQ(got.version, kFormatVersion);
  EXPECT_EQ(got.codec, Codec::kZstd);
  EXPECT_EQ(got.flags, kHasAdvance);
  EXPECT_EQ(got.stored_size, 0x01020304u);
  EXPECT_EQ(got.raw_size, 0x03000001u);
  EXPECT_EQ(got.payload_crc, 0xdeadbeefu);
  EXPECT_EQ(got.sequence, 0x1122334455667788u);
  EXPECT_EQ(got.watermark, UINT64_MAX - 1);
}

// The layout is public: other programs read it.
TEST(Frame, HeaderLayout) {
  const FrameHeaderBytes bytes = EncodeFrameHeader(Some());
  EXPECT_EQ(bytes[0], 0xf1);
  EXPECT_EQ(bytes[8], 1) << "version, little-endian";
  EXPECT_EQ(bytes[10], 1) << "codec";
  EXPECT_EQ(bytes[11], 2) << "flags";
  EXPECT_EQ(bytes[12], 0x04) << "stored size, little-endian";
  EXPECT_EQ(bytes[15], 0x01);
  EXPECT_EQ(bytes[20], 0xef) << "checksum of the payload";
  EXPECT_EQ(bytes[24], 0x88) << "sequence";
  EXPECT_EQ(bytes[32], 0xfe) << "watermark";
}

TEST(Frame, EveryFlippedBitIsSeen) {
  const FrameHeaderBytes good = EncodeFrameHeader(Some());
  for (size_t bit = 0; bit < good.size() * 8; ++bit) {
    FrameHeaderBytes bad = good;
    bad[bit / 8] = static_cast<uint8_t>(bad[bit / 8] ^ (1u << (bit % 8)));
    FrameHeader header;
    EXPECT_EQ(DecodeFrameHeader(bad, header), bit < 64 ? FrameCheck::kNoMarker : FrameCheck::kBadChecksum) << bit;
  }
}

TEST(Frame, TooLargeIsToldApart) {
  FrameHeader header = Some();
  header.stored_size = kMaxPayload + 1;
  FrameHeader got;
  EXPECT_EQ(DecodeFrameHeader(EncodeFrameHeader(header), got), FrameCheck::kTooLarge);
  header.stored_size = kMaxPayload;
  EXPECT_EQ(DecodeFrameHeader(EncodeFrameHeader(header), got), FrameCheck::kGood);
}

}  // namespace
}  // namespace slowtoken::trace
