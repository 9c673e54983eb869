// report, verify, export and doctor on small traces written by the real encoder.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "../analysis/events.h"
#include "../export/viewer.h"
#include "../reader/recording.h"
#include "base/siphash.h"
#include "command.h"

namespace slowtoken {
namespace {

using nlohmann::json;
using record::AnnotationField;
using record::AnnotationName;
using record::TimeNs;
using testing::CommandResult;
using testing::Slowtoken;

constexpr TimeNs kStart = 1'000'000'000'000;
constexpr base::SipKey kKey{0x0706050403020100, 0x0f0e0d0c0b0a0908};
constexpr const char* kKeyText = "000102030405060708090a0b0c0d0e0f";

record::Annotation Mark(AnnotationName name, record::RequestId req, TimeNs at) {
  record::Annotation annotation;
  annotation.name = name;
  annotation.start = annotation.end = at;
  annotation.thread = 100;
  annotation.Set(AnnotationField::kReqId, req);
  return annotation;
}

record::Annotation Range(AnnotationName name, uint64_t iter, TimeNs start, TimeNs end) {
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
    out.On(testing::DeviceOf(0x5A));
    record::Annotation request = testing::RequestRange(req, kStart + 1'000'000, kStart + 60'000'000);
    request.range_id = 1;
    request.thread = request.end_thread = 100;
    request.Set(AnnotationField::kNPrompt, 64);
    out.On(request);
    out.On(Mark(AnnotationName::kReqQueued, req, kStart + 2'000'000));
    for (uint32_t i = 0; i < 2; ++i) {
      const TimeNs at = kStart + 10'000'000 + i * TimeNs{20'000'000};
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
      out.On(testing::LaunchCall(i + 1, at + 1'000'000, at + 1'010'000));
      if (gpu) out.On(testing::KernelAt(i + 1, at + 1'020'000, at + 9'000'000, gemm, lane));
      out.On(Range(AnnotationName::kIterForward, i, at + 900'000, at + 2'000'000));
      out.On(Range(AnnotationName::kIter, i, at, at + 10'000'000));
      record::Annotation token = Mark(AnnotationName::kReqToken, req, at + 9'500'000);
      token.Set(AnnotationField::kN, i + 1);
      token.Set(AnnotationField::kNNew, 1);
      token.Set(AnnotationField::kIterNo, i);
      out.On(token);
    }
    record::Annotation finish = Mark(AnnotationName::kReqFinish, req, kStart + 50'000'000);
    finish.Set(AnnotationField::kFinishReason, static_cast<uint64_t>(record::FinishReason::kStop));
    out.On(finish);
  }

  std::string Write(bool gpu, bool end) {
    reader::Recording recording(header_);
    PlayRequest(recording.out(), recording.dictionary, gpu);
    if (!gpu) {
      record::SourceStatus status;
      status.state = record::SourceState::kNoDriver;
      status.detail = recording.dictionary.InternText("no NVIDIA driver in this container; start it with --gpus all");
      status.time = kStart + 1;
      recording.out().On(status);
    }
    record::Advance advance;
    advance.watermark = kStart + 100'000'000;
    recording.out().On(advance);
    if (end) recording.out().Finish();
    return dir_.Write("engine-4711-0a0b0c0d.stt", recording.sink.bytes);
  }

  reader::TempDir dir_;
  std::string key_id_;
  trace::FileHeader header_;
};

TEST_F(TraceTest, ReportExplainsTheRequest) {
  Write(true, true);
  const CommandResult result = Slowtoken({"report", dir_.path(), "--format=json", "--iterations"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["coverage"]["tier"], 3);
  EXPECT_EQ(report["coverage"]["complete"], true) << report["coverage"].dump();
  EXPECT_EQ(report["coverage"]["launches_matched"], 2);
  ASSERT_EQ(report["requests"].size(), 1u);
  const json& request = report["requests"][0];
  EXPECT_EQ(request["ttft_ns"], 18'500'000);
  EXPECT_EQ(request["ttft_phases"]["prefill"], 7'980'000);
  EXPECT_EQ(request["finish"], "stop");
  EXPECT_EQ(request["prompt"], 64);
  uint64_t sum = 0;
  for (const auto& [phase, ns] : request["ttft_phases"].items()) sum += ns.get<uint64_t>();
  EXPECT_EQ(sum, 18'500'000u);
  ASSERT_EQ(request["gaps"].size(), 1u);
  EXPECT_EQ(request["gaps"][0]["gap_ns"], 20'000'000);
  EXPECT_EQ(report["iterations"]["count"], 2);
  EXPECT_EQ(report["iterations"]["list"][0]["prefill_tok"], 64);
  EXPECT_EQ(report["devices"][0]["busy_ns"], 2 * 7'980'000);
  EXPECT_EQ(report["kernels"][0]["name"], "gemm(float*)");
}

TEST_F(TraceTest, ReportWithoutADriverSaysWhyInOneLine) {
  Write(false, true);
  const CommandResult result = Slowtoken({"report", dir_.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("! NO KERNELS were recorded although 2 launches were seen"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("! CUPTI: no_driver: no NVIDIA driver in this container; start it with --gpus all"),
            std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("TTFT (1 requests): mean 18.5 ms"), std::string::npos) << result.out;
}

TEST_F(TraceTest, ARequestIsFoundByItsClearIdOrItsPseudonym) {
  Write(true, true);
  const CommandResult clear = Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1", "--key", kKeyText});
  EXPECT_EQ(clear.code, 0) << clear.err;
  EXPECT_NE(clear.out.find("arrived at 1.00 ms, TTFT 18.5 ms"), std::string::npos) << clear.out;
  const size_t at = clear.out.find("Request ");
  ASSERT_NE(at, std::string::npos);
  const std::string pseudonym = clear.out.substr(at + 8, 16);
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "--request", pseudonym}, {{"SLOWTOKEN_KEY", ""}}).out, clear.out);
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1"}, {{"SLOWTOKEN_KEY", kKeyText}}).out,
            clear.out);
}

TEST_F(TraceTest, AWrongKeyOrNoneIsSaid) {
  Write(true, true);
  const CommandResult none = Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1"},
                                       {{"SLOWTOKEN_KEY", ""}, {"SLOWTOKEN_KEY_FILE", ""}});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("needs the run's key"), std::string::npos) << none.err;
  const CommandResult wrong =
      Slowtoken({"report", dir_.path(), "--request", "chatcmpl-1", "--key", std::string(32, '0')});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("not the one these traces were recorded with"), std::string::npos) << wrong.err;
}

TEST_F(TraceTest, ReportGoesToAFile) {
  Write(true, true);
  const std::string path = dir_.path() + "/report.json";
  const CommandResult result = Slowtoken({"report", dir_.path(), "--format=json", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, "");
  std::ifstream file(path);
  EXPECT_EQ(json::parse(file)["schema"], "slowtoken.report.v1");
  EXPECT_EQ(Slowtoken({"report", dir_.path(), "-o", dir_.path() + "/no/such/folder/x"}).code, 3);
}

TEST_F(TraceTest, VerifyPassesAWholeTrace) {
  Write(true, true);
  const CommandResult result = Slowtoken({"verify", dir_.path()});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("engine-4711-0a0b0c0d.stt: whole\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("nothing was dropped while recording"), std::string::npos) << result.out;
}

TEST_F(TraceTest, VerifySaysThatAProcessWasKilledAndPasses) {
  const std::string path = Write(true, false);
  const CommandResult result = Slowtoken({"verify", path});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("whole up to its last chunk"), std::string::npos) << result.out;
}

TEST_F(TraceTest, VerifyFailsWhenBytesInsideAreDamaged) {
  const std::string path = Write(true, true);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(200);
  file.put('\x5A');
  file.put('\xA5');
  file.close();
  const CommandResult result = Slowtoken({"verify", path});
  EXPECT_EQ(result.code, 1) << result.out;
  EXPECT_NE(result.out.find("DAMAGED"), std::string::npos) << result.out;
}

TEST_F(TraceTest, ExportWritesWhatPerfettoShows) {
  Write(true, true);
  const std::string path = dir_.path() + "/out.pftrace";
  const CommandResult result = Slowtoken({"export", dir_.path(), "--to=perfetto", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const testing::ShownTrace shown = testing::Show(bytes.str());
  ASSERT_TRUE(shown.parsed);
  EXPECT_EQ(shown.unknown_names + shown.unknown_tracks + shown.ends_without_begin, 0u);
  EXPECT_EQ(shown.Named("gemm(float*)").size(), 2u);
  ASSERT_EQ(shown.Named("request").size(), 1u);
  EXPECT_EQ(shown.Named("time to first token")[0]->end - shown.Named("time to first token")[0]->start, 18'500'000u);
  ASSERT_EQ(shown.Named("stall").size(), 1u) << "20 ms with fewer than eight samples";
  EXPECT_EQ(shown.Named("stall")[0]->end - shown.Named("stall")[0]->start, 20'000'000u);
  EXPECT_EQ(shown.Named("iter").size(), 2u);
}

TEST(Doctor, HasOneLineForEachThingAndMakesJson) {
  const CommandResult text = Slowtoken({"doctor"}, {{"CUDA_INJECTION64_PATH", "/opt/other.so"}});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("warning  CUDA_INJECTION64_PATH  taken by /opt/other.so"), std::string::npos) << text.out;
  const CommandResult result = Slowtoken({"doctor", "--json"});
  const json doctor = json::parse(result.out);
  std::vector<std::string> looked_at;
  for (const json& finding : doctor["findings"]) {
    looked_at.push_back(finding["what"]);
    EXPECT_TRUE(finding["state"] == "ok" || !finding["advice"].get<std::string>().empty()) << finding.dump();
  }
  for (const char* what : {"libslowtoken.so", "driver", "CUPTI", "NVTX_INJECTION64_PATH", "NCCL_PROFILER_PLUGIN",
                           "perf events", "clock", "output"}) {
    EXPECT_NE(std::find(looked_at.begin(), looked_at.end(), what), looked_at.end()) << what;
  }
}

}  // namespace
}  // namespace slowtoken
