// The text form of the llmserve vocabulary, as a pure function: what is well formed, and what is not.
#include "nvtx/annotation_text.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "nvtx/annotation_shape.h"

namespace slowtoken::nvtx {
namespace {

using record::AnnotationField;
using record::AnnotationKind;
using record::AnnotationName;
using record::RowKind;
using record::RowOp;

struct Parsed {
  bool good = false;
  AnnotationText text;
  std::array<RowText, 64> rows;
};

void Parse(std::string_view text, AnnotationKind kind, Parsed& out) {
  out.text.rows = out.rows;
  out.good = ParseAnnotation(text, kind, out.text);
}

// Every name of the vocabulary with its kind and least fields; one row per line of docs/ATTRIBUTION.md §1.
struct NameCase {
  const char* text;
  AnnotationKind kind;
  AnnotationName name;
};
constexpr NameCase kNames[] = {
    {"req|req=a", AnnotationKind::kStartEnd, AnnotationName::kReq},
    {"req.tokenize|req=a", AnnotationKind::kPushPop, AnnotationName::kReqTokenize},
    {"req.detok|req=a,n=3,n_new=1", AnnotationKind::kStartEnd, AnnotationName::kReqDetok},
    {"req.send|req=a,n=3,n_new=1", AnnotationKind::kPushPop, AnnotationName::kReqSend},
    {"req.queued|req=a", AnnotationKind::kMark, AnnotationName::kReqQueued},
    {"req.scheduled|req=a,iter=1", AnnotationKind::kMark, AnnotationName::kReqScheduled},
    {"req.preempted|req=a,iter=1", AnnotationKind::kMark, AnnotationName::kReqPreempted},
    {"req.resumed|req=a,iter=1", AnnotationKind::kMark, AnnotationName::kReqResumed},
    {"req.waiting|req=a,reason=budget", AnnotationKind::kMark, AnnotationName::kReqWaiting},
    {"req.token|req=a,n=1,n_new=1,iter=2", AnnotationKind::kMark, AnnotationName::kReqToken},
    {"req.finish|req=a,reason=stop", AnnotationKind::kMark, AnnotationName::kReqFinish},
    {"iter|iter=7", AnnotationKind::kPushPop, AnnotationName::kIter},
    {"iter.schedule", AnnotationKind::kPushPop, AnnotationName::kIterSchedule},
    {"iter.prepare", AnnotationKind::kPushPop, AnnotationName::kIterPrepare},
    {"iter.forward|iter=7,engine=1", AnnotationKind::kPushPop, AnnotationName::kIterForward},
    {"iter.draft", AnnotationKind::kPushPop, AnnotationName::kIterDraft},
    {"iter.verify", AnnotationKind::kPushPop, AnnotationName::kIterVerify},
    {"iter.sample", AnnotationKind::kPushPop, AnnotationName::kIterSample},
    {"iter.update", AnnotationKind::kPushPop, AnnotationName::kIterUpdate},
    {"batch|iter=7,set=a:1:d", AnnotationKind::kMark, AnnotationName::kBatch},
    {"kv.alloc|blocks=3", AnnotationKind::kPushPop, AnnotationName::kKvAlloc},
    {"kv.evict|blocks=3", AnnotationKind::kPushPop, AnnotationName::kKvEvict},
    {"kv.swap|bytes=4096", AnnotationKind::kStartEnd, AnnotationName::kKvSwap},
    {"kv.send|req=a,peer=host-2", AnnotationKind::kStartEnd, AnnotationName::kKvSend},
    {"kv.recv|req=a,used=1,total=2", AnnotationKind::kStartEnd, AnnotationName::kKvRecv},
    {"adapter.load|name=lora-7", AnnotationKind::kPushPop, AnnotationName::kAdapterLoad},
    {"model.load", AnnotationKind::kPushPop, AnnotationName::kModelLoad},
    {"jit|name=flash", AnnotationKind::kPushPop, AnnotationName::kJit},
    {"gc", AnnotationKind::kPushPop, AnnotationName::kGc},
};

TEST(AnnotationText, EveryNameOfTheVocabulary) {
  ASSERT_EQ(std::size(kNames), std::size(record::kAnnotationTexts));
  for (const NameCase& c : kNames) {
    Parsed p;
    Parse(c.text, c.kind, p);
    EXPECT_TRUE(p.good) << c.text;
    EXPECT_EQ(p.text.name, c.name) << c.text;
  }
}

TEST(AnnotationText, NamesGoWithTheirKind) {
  for (const NameCase& c : kNames) {
    Parsed as_mark, as_range;
    Parse(c.text, AnnotationKind::kMark, as_mark);
    Parse(c.text, AnnotationKind::kPushPop, as_range);
    EXPECT_EQ(as_mark.good, c.kind == AnnotationKind::kMark) << c.text;
    EXPECT_EQ(as_range.good, c.kind != AnnotationKind::kMark) << c.text;
  }
}

TEST(AnnotationText, FieldsOfEveryType) {
  Parsed p;
  Parse(
      "req|req=cmpl-7/a "
      "b\"c,n_prompt=812,max_new=18446744073709551615,class=gold,trace=00-4bf9-01,parent=cmpl-7,alias=x",
      AnnotationKind::kStartEnd, p);
  ASSERT_TRUE(p.good);
  const auto text = [&](AnnotationField f) { return p.text.texts[static_cast<size_t>(f)]; };
  const auto number = [&](AnnotationField f) { return p.text.numbers[static_cast<size_t>(f)]; };
  EXPECT_EQ(text(AnnotationField::kReqId), "cmpl-7/a b\"c");
  EXPECT_EQ(number(AnnotationField::kNPrompt), 812u);
  EXPECT_EQ(number(AnnotationField::kMaxNew), UINT64_MAX);
  EXPECT_EQ(text(AnnotationField::kClass), "gold");
  EXPECT_EQ(text(AnnotationField::kTrace), "00-4bf9-01");
  EXPECT_EQ(text(AnnotationField::kParent), "cmpl-7");
  EXPECT_EQ(text(AnnotationField::kAlias), "x");
  EXPECT_FALSE(p.text.Has(AnnotationField::kIterNo));
}

TEST(AnnotationText, ReasonMeansWhatTheNameSays) {
  for (size_t i = 0; i < std::size(record::kWaitReasonTexts); ++i) {
    Parsed p;
    Parse(std::string("req.waiting|req=a,reason=") + record::kWaitReasonTexts[i], AnnotationKind::kMark, p);
    ASSERT_TRUE(p.good) << record::kWaitReasonTexts[i];
    EXPECT_TRUE(p.text.Has(AnnotationField::kWaitReason));
    EXPECT_EQ(p.text.numbers[static_cast<size_t>(AnnotationField::kWaitReason)], i);
  }
  for (size_t i = 1; i < std::size(record::kFinishReasonTexts); ++i) {
    Parsed p;
    Parse(std::string("req.finish|req=a,reason=") + record::kFinishReasonTexts[i], AnnotationKind::kMark, p);
    ASSERT_TRUE(p.good) << record::kFinishReasonTexts[i];
    EXPECT_TRUE(p.text.Has(AnnotationField::kFinishReason));
    EXPECT_FALSE(p.text.Has(AnnotationField::kWaitReason));
    EXPECT_EQ(p.text.numbers[static_cast<size_t>(AnnotationField::kFinishReason)], i);
  }
  Parsed unknown;
  Parse("req.waiting|req=a,reason=moon_phase", AnnotationKind::kMark, unknown);
  ASSERT_TRUE(unknown.good);
  EXPECT_EQ(unknown.text.numbers[static_cast<size_t>(AnnotationField::kWaitReason)],
            static_cast<uint64_t>(record::WaitReason::kOther));
}

TEST(AnnotationText, FlagsAreJoinedByPlusAndUnknownOnesSkipped) {
  Parsed p;
  Parse("iter|iter=1,flags=graph+shiny+mixed+overlap", AnnotationKind::kPushPop, p);
  ASSERT_TRUE(p.good);
  EXPECT_EQ(p.text.numbers[static_cast<size_t>(AnnotationField::kFlags)],
            uint64_t{record::kFlagGraph | record::kFlagMixed | record::kFlagOverlap});
}

TEST(AnnotationText, UnknownKeysAreSkipped) {
  Parsed p;
  Parse("iter|colour=blue,iter=5,zz=9,set=a:1:d", AnnotationKind::kPushPop, p);
  ASSERT_TRUE(p.good);
  EXPECT_EQ(p.text.numbers[static_cast<size_t>(AnnotationField::kIterNo)], 5u);
  EXPECT_EQ(p.text.row_count, 0u) << "rows belong to batch only";
}

TEST(AnnotationText, SetRowsAreTheWholeBatch) {
  Parsed p;
  Parse("batch|iter=9,seq=4,set=r1:512:p;r2:1:d;r3:256:c;r4:5:v;r5:700:r", AnnotationKind::kMark, p);
  ASSERT_TRUE(p.good);
  EXPECT_TRUE(p.text.batch_is_set);
  ASSERT_EQ(p.text.row_count, 5u);
  const char* reqs[] = {"r1", "r2", "r3", "r4", "r5"};
  const uint32_t tokens[] = {512, 1, 256, 5, 700};
  const RowKind kinds[] = {RowKind::kPrefill, RowKind::kDecode, RowKind::kChunk, RowKind::kVerify, RowKind::kRecompute};
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(p.rows[i].req, reqs[i]);
    EXPECT_EQ(p.rows[i].n_tok, tokens[i]);
    EXPECT_EQ(p.rows[i].kind, kinds[i]);
    EXPECT_EQ(p.rows[i].op, RowOp::kSet);
  }
}

TEST(AnnotationText, EmptySetIsAnEmptyBatch) {
  Parsed p;
  Parse("batch|iter=9,set=", AnnotationKind::kMark, p);
  ASSERT_TRUE(p.good);
  EXPECT_TRUE(p.text.batch_is_set);
  EXPECT_EQ(p.text.row_count, 0u);
}

TEST(AnnotationText, ChangesMayMixAndLeaveMayBeBare) {
  Parsed p;
  Parse("batch|iter=9,engine=1,dp_rank=2,join=a:9:p;b:8:c,leave=c;d:0:d,change=e:2:v,join=f:1:d", AnnotationKind::kMark,
        p);
  ASSERT_TRUE(p.good);
  EXPECT_FALSE(p.text.batch_is_set);
  ASSERT_EQ(p.text.row_count, 6u);
  const RowOp ops[] = {RowOp::kJoin, RowOp::kJoin, RowOp::kLeave, RowOp::kLeave, RowOp::kChange, RowOp::kJoin};
  const char* reqs[] = {"a", "b", "c", "d", "e", "f"};
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(p.rows[i].op, ops[i]);
    EXPECT_EQ(p.rows[i].req, reqs[i]);
  }
}

TEST(AnnotationText, OneSeparatorAtTheEndIsForgiven) {
  Parsed fields, rows;
  Parse("req.queued|req=a,", AnnotationKind::kMark, fields);
  EXPECT_TRUE(fields.good);
  Parse("batch|iter=1,set=a:1:d;", AnnotationKind::kMark, rows);
  EXPECT_TRUE(rows.good);
  EXPECT_EQ(rows.text.row_count, 1u);
}

TEST(AnnotationText, NoRowsMeansNothingChanged) {
  Parsed p;
  Parse("batch|iter=9,seq=3", AnnotationKind::kMark, p);
  ASSERT_TRUE(p.good);
  EXPECT_FALSE(p.text.batch_is_set);
}

class Malformed : public testing::TestWithParam<const char*> {};

TEST_P(Malformed, IsRefused) {
  // As a mark and as a range, so that only the text can be at fault.
  for (const AnnotationKind kind : {AnnotationKind::kMark, AnnotationKind::kPushPop, AnnotationKind::kStartEnd}) {
    Parsed p;
    Parse(GetParam(), kind, p);
    EXPECT_FALSE(p.good) << GetParam();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, Malformed,
    testing::Values("", "|", "|req=a", "re", "request|req=a", "REQ|req=a", " req|req=a", "req ", "req|", "req",
                    "req|req", "req|req=", "req|=a", "req|req=a,,n=1", "req|req=a,n_prompt=", "req|req=a,n_prompt=-1",
                    "req|req=a,n_prompt=1.5", "req|req=a,n_prompt=0x10", "req|req=a,n_prompt=12 ",
                    "req|req=a,n_prompt=+1", "req|req=a,n_prompt=18446744073709551616",
                    "req|req=a,n_prompt=99999999999999999999999999", "req.queued|n=1", "req.waiting|req=a",
                    "req.finish|req=a,reason=exploded", "iter", "iter|engine=1", "iter|iter=one", "iter|iter=1|iter=2",
                    "batch", "batch|set=a:1:d", "batch|iter=1,set=a", "batch|iter=1,set=a:1",
                    "batch|iter=1,set=a:1:", "batch|iter=1,set=a:1:q", "batch|iter=1,set=a:1:dd",
                    "batch|iter=1,set=a:x:d", "batch|iter=1,set=a:-1:d", "batch|iter=1,set=a:4294967296:d",
                    "batch|iter=1,set=:1:d", "batch|iter=1,set=a:1:d;;b:1:d", "batch|iter=1,set=;",
                    "batch|iter=1,join=", "batch|iter=1,leave=", "batch|iter=1,join=a",
                    "batch|iter=1,change=a:", "batch|iter=1,set=a:1:d:x", "batch|iter=1,set=a:1:d,join=b:1:d", "iter=1",
                    "iter.nothing|iter=1", "kv", "llmserve/iter|iter=1"));

TEST(AnnotationText, BytesThatAreNoTextAreRefusedOrCarried) {
  Parsed p;
  Parse(std::string_view("req|req=\xff\xfe\x00z", 12), AnnotationKind::kStartEnd, p);
  EXPECT_TRUE(p.good);
  EXPECT_EQ(p.text.texts[static_cast<size_t>(AnnotationField::kReqId)], std::string_view("\xff\xfe\x00z", 4));
}

TEST(AnnotationShape, KeepsNameAndKeysAndNoValue) {
  const std::pair<const char*, const char*> cases[] = {
      {"req.token|req=secret,n=many", "req.token|req=,n=?"},
      {"llmserve/req.token|req=secret,n=-1", "llmserve/req.token|req=,n=?"},
      {"req.token|secret", "req.token|?"},
      {"req.token|secret=1,n=2", "req.token|?,n="},
      {"bogus|req=secret,n=x", "bogus|req=,n="},
      {"batch|iter=1,set=secret:1:z", "batch|iter=,set=?"},
      {"batch|iter=1,set=a:1:p;b:2:d", "batch|iter=,set="},
      {"req.finish|req=a,reason=banana", "req.finish|req=,reason=?"},
      {"alice says hello", "?"},
      {"Alice|n=1", "?|n="},
      {"llmserve/hello alice|n=1", "llmserve/?|n="},
      {"iter|", "iter"},
      {"iter|,,", "iter|?,?"},
      {"", ""},
  };
  for (const auto& [text, shape] : cases) {
    char room[160];
    EXPECT_EQ(AnnotationShape(text, room), shape) << text;
  }
  char small[12];
  EXPECT_EQ(AnnotationShape("req.token|req=secret,n=many", small), "req.token|re");
  char room[160];
  EXPECT_EQ(AnnotationShape(std::string(500, 'x').append("|n=1"), room), std::string(64, 'x').append("|n="));
  EXPECT_EQ(AnnotationShape({}, room), "") << "a message that says nothing";
}

// docs/ATTRIBUTION.md §1, the batch written by hand.
TEST(AnnotationText, TheDocumentsExampleOfABatchParses) {
  for (const char* text : {"batch|iter=1,seq=1,set=A:512:p;B:1024:c", "batch|iter=2,seq=2,change=B:300:p",
                           "batch|iter=4,seq=3,join=C:64:p,leave=A", "batch|iter=5,seq=4,change=B:4:v",
                           "batch|iter=9,seq=5,set=B:1:d;C:1:d"}) {
    RowText rows[8];
    AnnotationText out;
    out.rows = rows;
    EXPECT_TRUE(ParseAnnotation(text, AnnotationKind::kMark, out)) << text;
    EXPECT_GE(out.row_count, 1u);
  }
}

TEST(AnnotationText, MoreRowsThanRoomIsMalformed) {
  std::string text = "batch|iter=1,set=";
  for (int i = 0; i < 65; ++i) text += (i != 0 ? ";r" : "r") + std::to_string(i) + ":1:d";
  Parsed p;
  Parse(text, AnnotationKind::kMark, p);
  EXPECT_FALSE(p.good);
}

TEST(AnnotationText, AMegabyteOfRubbishIsRefused) {
  for (const char* start : {"req|req=", "batch|iter=1,set=", "iter|", "x"}) {
    for (const char fill : {'|', ',', '=', ';', ':', 'a', '\0'}) {
      Parsed p;
      const std::string text = start + std::string(1u << 20, fill);
      Parse(text, AnnotationKind::kMark, p);
      EXPECT_FALSE(p.good) << start << fill;
    }
  }
}

// Any prefix and any mutation of good text is parsed or refused, never read past its end (the sanitizers watch).
TEST(AnnotationText, MutationsNeverReadPastTheEnd) {
  std::mt19937 random(7);
  for (const NameCase& c : kNames) {
    const std::string good = c.text;
    for (int i = 0; i < 300; ++i) {
      std::string text = good.substr(0, random() % (good.size() + 1));
      if (!text.empty()) text[random() % text.size()] = "|,=;:+\0a9"[random() % 9];
      const std::unique_ptr<char[]> exact(new char[text.size()]);
      std::copy(text.begin(), text.end(), exact.get());
      Parsed p;
      Parse({exact.get(), text.size()}, c.kind, p);
      EXPECT_LE(p.text.row_count, p.rows.size());
    }
  }
}

TEST(AnnotationText, FieldsFromAPayloadFollowTheSameRules) {
  AnnotationText a;
  ASSERT_TRUE(FindAnnotationName("req.token", a.name));
  EXPECT_TRUE(SetField(a, "req", "r9"));
  EXPECT_TRUE(SetField(a, "n", uint64_t{4}));
  EXPECT_TRUE(SetField(a, "unknown", uint64_t{4}));
  EXPECT_FALSE(SetField(a, "req", uint64_t{4})) << "a request is text";
  EXPECT_TRUE(IsComplete(a, AnnotationKind::kMark));
  EXPECT_FALSE(IsComplete(a, AnnotationKind::kPushPop));
  EXPECT_EQ(a.numbers[static_cast<size_t>(AnnotationField::kN)], 4u);
}

}  // namespace
}  // namespace slowtoken::nvtx
