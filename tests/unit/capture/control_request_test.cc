// The request parser against whatever may come: what is right is read, everything else is refused, nothing is read
// beyond its end.
#include "capture/control_request.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace slowtoken::capture {
namespace {

std::string Framed(const std::string& message) {
  std::string bytes;
  for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(message.size() >> (8 * i) & 0xff);
  return bytes + message;
}

// Parses a copy of exactly the right size, so that a sanitizer sees a read beyond the end.
ControlParse Parse(const std::string& bytes, ControlRequest* request) {
  static std::vector<uint8_t> copy;
  copy.assign(bytes.begin(), bytes.end());
  copy.shrink_to_fit();
  return ParseControlRequest(copy, request);
}

ControlParse Verdict(const std::string& message) {
  ControlRequest request;
  return Parse(Framed(message), &request);
}

const std::string kMark = std::string("\x08\x01\x10\x04\x1a\x05hello", 11);

TEST(ControlRequest, IsRead) {
  ControlRequest request;
  ASSERT_EQ(Parse(Framed(kMark), &request), ControlParse::kWhole);
  EXPECT_EQ(request.version, 1u);
  EXPECT_EQ(request.verb, ControlVerb::kMark);
  EXPECT_EQ(request.text, "hello");
}

TEST(ControlRequest, FieldsMayComeInAnyOrderAndAgain) {
  ControlRequest request;
  ASSERT_EQ(Parse(Framed(std::string("\x1a\x01x\x10\x05\x08\x01\x10\x06", 9)), &request), ControlParse::kWhole);
  EXPECT_EQ(request.verb, ControlVerb::kResume) << "the last one counts, as protobuf has it";
}

TEST(ControlRequest, FieldsOfALaterVersionAreSkipped) {
  const std::string later("\x08\x02\x10\x01\x20\x07\x2a\x02xy\x35\x01\x02\x03\x04\x39\x01\x02\x03\x04\x05\x06\x07\x08",
                          24);
  ControlRequest request;
  ASSERT_EQ(Parse(Framed(later), &request), ControlParse::kWhole);
  EXPECT_EQ(request.version, 2u);
  EXPECT_EQ(request.verb, ControlVerb::kStatus);
}

TEST(ControlRequest, EveryTruncationIsIncompleteAndNothingElse) {
  const std::string whole = Framed(kMark);
  for (size_t size = 0; size < whole.size(); ++size) {
    ControlRequest request;
    EXPECT_EQ(Parse(whole.substr(0, size), &request), ControlParse::kIncomplete) << size;
  }
}

TEST(ControlRequest, WhatFollowsIsRefused) {
  ControlRequest request;
  EXPECT_EQ(Parse(Framed(kMark) + "x", &request), ControlParse::kMalformed);
}

TEST(ControlRequest, HostileSizesAreRefusedAtOnce) {
  ControlRequest request;
  for (const uint32_t size : {1021u, 0x10000u, 0x7fffffffu, 0xffffffffu}) {
    std::string bytes;
    for (unsigned i = 0; i < 4; ++i) bytes += static_cast<char>(size >> (8 * i) & 0xff);
    EXPECT_EQ(Parse(bytes, &request), ControlParse::kMalformed) << size;
  }
  EXPECT_EQ(Verdict(std::string("\x08\x01\x10\x04\x1a\xff\xff\xff\xff\x0f", 10)), ControlParse::kMalformed)
      << "a text longer than the message";
  EXPECT_EQ(Verdict(std::string("\x08\x01\x10\x04\x1a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15)),
            ControlParse::kMalformed);
}

TEST(ControlRequest, VarintsWithoutEndAndTooLargeAreRefused) {
  EXPECT_EQ(Verdict("\x08" + std::string(20, '\xff')), ControlParse::kMalformed);
  EXPECT_EQ(Verdict("\x08" + std::string(9, '\xff') + "\x02\x10\x01"), ControlParse::kMalformed) << "more than 64 bits";
  EXPECT_EQ(Verdict("\x08"), ControlParse::kMalformed);
}

TEST(ControlRequest, UnknownVerbsGroupsAndFieldZeroAreRefused) {
  EXPECT_EQ(Verdict(""), ControlParse::kMalformed);
  EXPECT_EQ(Verdict(std::string("\x08\x01\x10\x00", 4)), ControlParse::kMalformed);
  EXPECT_EQ(Verdict("\x08\x01\x10\x07"), ControlParse::kMalformed);
  EXPECT_EQ(Verdict("\x10\x01"), ControlParse::kMalformed) << "no version";
  EXPECT_EQ(Verdict("\x08\x01\x10\x01\x23\x24"), ControlParse::kMalformed) << "a group";
  EXPECT_EQ(Verdict(std::string("\x08\x01\x10\x01\x00\x01", 6)), ControlParse::kMalformed) << "field 0";
}

TEST(ControlRequest, TextUpToTheLimit) {
  const auto message = [](size_t size) {
    std::string text = "\x08\x01\x10\x04\x1a";
    text += static_cast<char>((size & 0x7f) | 0x80);
    text += static_cast<char>(size >> 7);
    return text + std::string(size, 'x');
  };
  EXPECT_EQ(Verdict(message(kMostControlText)), ControlParse::kWhole);
  EXPECT_EQ(Verdict(message(kMostControlText + 1)), ControlParse::kMalformed);
}

TEST(ControlAnswer, IsProtobufWithItsSizeInFront) {
  std::vector<uint8_t> out(400);
  const std::string message(300, 'm');
  const size_t size = WriteControlAnswer(ControlCode::kRefused, message, out);
  EXPECT_EQ(size, 4 + 4 + 3 + 300u);
  EXPECT_EQ(std::string(out.begin(), out.begin() + 11),
            std::string("\x33\x01\x00\x00\x08\x01\x10\x01\x1a\xac\x02", 11));
}

}  // namespace
}  // namespace slowtoken::capture
