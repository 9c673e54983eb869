// slowtoken import: where the traces go, what is said, and that the other verbs read them.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "../import/kineto_text.h"
#include "../reader/recording.h"
#include "command.h"

namespace slowtoken {
namespace {

using importing::KinetoText;
using nlohmann::json;
using testing::CommandResult;
using testing::Slowtoken;

class ImportVerb : public ::testing::Test {
 protected:
  // Two launches in a decode step: an eager kernel, and a graph of three.
  static std::string Step(int rank) {
    return KinetoText()
        .Before(R"("deviceProperties": [{"id": 0, "name": "A100"}])")
        .Before(R"("distributedInfo": {"rank": )" + std::to_string(rank) + "}")
        .Annotation("step[DECODE bs=32]", "1712195495519000", "500")
        .Call("cudaLaunchKernel", 5, "1712195495519010", "4")
        .Call("cudaGraphLaunch", 6, "1712195495519020", "9.5")
        .Kernel("sampler", 5, "1712195495519030", "10")
        .Kernel("gemm", 6, "1712195495519050", "10.25")
        .Kernel("gemm", 6, "1712195495519070", "10.25")
        .Kernel("ncclDevKernel_AllReduce", 6, "1712195495519090", "10")
        .Kernel("orphan", 7, "1712195495519300", "1")
        .Text();
  }
  std::string File(const std::string& name, const std::string& text) { return dir_.Write(name, text); }
  std::string In(const std::string& name) const { return dir_.path() + "/" + name; }

  reader::TempDir dir_;
};

TEST_F(ImportVerb, AFileBecomesATraceThatEveryVerbReads) {
  const std::string source = File("a.json", Step(0)), trace = In("a.stt");
  const CommandResult imported = Slowtoken({"import", source, "-o", trace});
  ASSERT_EQ(imported.code, 0) << imported.err;
  EXPECT_EQ(imported.err, "");
  EXPECT_NE(imported.out.find("a.stt: rank0 4711, 8 events of "), std::string::npos) << imported.out;
  const CommandResult text = Slowtoken({"report", trace, "--format=json", "--iterations"});
  ASSERT_EQ(text.code, 0) << text.err;
  const json report = json::parse(text.out);
  EXPECT_EQ(report["coverage"]["tier"], 1);
  EXPECT_EQ(report["coverage"]["launches"], 2);
  EXPECT_EQ(report["coverage"]["without_call"], 1);
  EXPECT_EQ(report["origin"]["utc"].get<std::string>().substr(0, 19), "2024-04-04T01:51:35");
  const json& iteration = report["iterations"]["list"][0];
  EXPECT_EQ(iteration["decode"], 32);
  EXPECT_EQ(iteration["prefill"], 0);
  EXPECT_EQ(iteration["prefill_tok"], 0);
  EXPECT_EQ(iteration["kernels"], 4);
  EXPECT_EQ(iteration["graph"], true);
  EXPECT_EQ(report["devices"][0]["name"], "A100");
  EXPECT_TRUE(report["overhead"]["share"].is_null());
  EXPECT_EQ(Slowtoken({"verify", trace}).code, 0);
  EXPECT_EQ(Slowtoken({"export", trace, "--to=perfetto", "-o", In("a.pftrace")}).code, 0);
  std::filesystem::copy_file(trace, In("copy.stt"));
  EXPECT_EQ(Slowtoken({"diff", trace, In("copy.stt")}).code, 0);
}

TEST_F(ImportVerb, RulePacksReadWhatRecordFunctionSaid) {
  const std::string source = File("a.json", KinetoText()
                                                .Annotation("execute_context_0(0)_generation_4(4)", "1000", "500")
                                                .Annotation("gpu_model_runner: sample", "1300", "100")
                                                .Annotation("my sampler", "1420", "20")
                                                .Call("cudaLaunchKernel", 5, "1100", "4")
                                                .Call("cudaLaunchKernel", 6, "1350", "4")
                                                .Call("cudaLaunchKernel", 7, "1425", "4")
                                                .Kernel("gemm", 5, "1110", "50")
                                                .Kernel("copy_ids", 6, "1360", "10")
                                                .Kernel("copy_ids", 7, "1430", "10")
                                                .Text());
  const std::string trace = In("a.stt"), pack = File("my.pack", R"(pack mine 1
rule push-pop "my sampler" iter.sample
)");
  ASSERT_EQ(Slowtoken({"import", source, "-o", trace}).code, 0);
  const auto gpu_ns = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"report", trace, "--format=json", "--iterations"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const json iterations = json::parse(Slowtoken(arguments).out)["iterations"];
    EXPECT_EQ(iterations["count"], 1);
    return iterations["list"][0]["gpu_ns"].get<uint64_t>();
  };
  EXPECT_EQ(gpu_ns({}), 60'000u) << "what is launched inside iter.sample is sampling, and no work of the model";
  EXPECT_EQ(gpu_ns({"--rules=" + pack}), 50'000u);
}

TEST_F(ImportVerb, TheTextSaysWhatNobodyKnows) {
  ASSERT_EQ(Slowtoken({"import", File("a.json", Step(0)), "-o", In("a.stt")}).code, 0);
  const CommandResult report = Slowtoken({"report", In("a.stt")});
  EXPECT_NE(report.out.find("what the recorder dropped is not known"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("nothing was dropped"), std::string::npos);
  EXPECT_NE(report.out.find("imported from: file a.json"), std::string::npos) << report.out;
  EXPECT_EQ(report.out.find("Own cost"), std::string::npos);
  EXPECT_NE(Slowtoken({"verify", In("a.stt")}).out.find("imported: what its recorder dropped is not known"),
            std::string::npos);
}

TEST_F(ImportVerb, SeveralFilesBecomeARun) {
  const std::string a = File("a.json", Step(0)), b = File("b.json", Step(1)), bad = File("bad.json", "[1, 2]");
  const CommandResult all = Slowtoken({"import", a, b, bad, "-o", In("ranks")});
  EXPECT_EQ(all.code, 3);
  EXPECT_NE(all.err.find("bad.json: is not a trace: it holds a list"), std::string::npos) << all.err;
  EXPECT_NE(all.err.find("1 of 3 files could not be imported"), std::string::npos) << all.err;
  const json report = json::parse(Slowtoken({"report", In("ranks"), "--format=json", "--iterations"}).out);
  EXPECT_EQ(report["coverage"]["kernels"], 10);
  EXPECT_EQ(report["coverage"]["processes"].size(), 2u) << "the same pid, and yet two processes";
  EXPECT_EQ(report["devices"].size(), 2u);
  EXPECT_EQ(report["iterations"]["count"], 2) << "the iterations of two ranks stand apart";
  const CommandResult again = Slowtoken({"import", a, "-o", In("ranks")});
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("holds traces already"), std::string::npos) << again.err;
}

// Rank 1 comes 300 us late to each of three all-reduces, on a host whose clock is an hour ahead.
TEST_F(ImportVerb, TheLateRankOfACollectiveIsNamed) {
  std::vector<std::string> arguments = {"import"};
  for (int rank = 0; rank < 2; ++rank) {
    KinetoText text;
    text.Before(R"("distributedInfo": {"rank": )" + std::to_string(rank) + "}");
    for (int i = 0; i < 3; ++i) {
      const uint64_t at = 1712195495519000 + (rank == 1 ? 3'600'000'000 : 0) + static_cast<uint64_t>(i) * 1000;
      text.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", i + 1, std::to_string(at + (rank == 1 ? 300 : 0)),
                  rank == 1 ? "100" : "400",
                  R"(, "Collective name": "allreduce", "Process Group Name": "7", "Group size": 4, "Seq": )" +
                      std::to_string(i));
    }
    arguments.push_back(File("rank" + std::to_string(rank) + ".json", text.Text()));
  }
  arguments.insert(arguments.end(), {"-o", In("ranks")});
  ASSERT_EQ(Slowtoken(arguments).code, 0);
  const json report = json::parse(Slowtoken({"report", In("ranks"), "--format=json"}).out);
  EXPECT_EQ(report["collectives"]["matched"], 3);
  EXPECT_EQ(report["collectives"]["by_time"], 0);
  EXPECT_EQ(report["collectives"]["partial"], 3) << "of four ranks two are here";
  ASSERT_EQ(report["ranks"].size(), 2u);
  EXPECT_EQ(report["ranks"][0]["waited_ns"], 900'000);
  EXPECT_EQ(report["ranks"][1]["role"], "rank1");
  EXPECT_EQ(report["ranks"][1]["late"], 3);
  const std::string text = Slowtoken({"report", In("ranks")}).out;
  EXPECT_NE(text.find("late: rank1, last to 3 of its 3; the others waited 900 µs for it in all"), std::string::npos)
      << text;
}

TEST_F(ImportVerb, ATraceIsReplacedASourceIsNot) {
  const std::string source = File("a.json", Step(0)), trace = In("a.stt");
  ASSERT_EQ(Slowtoken({"import", source, "-o", trace}).code, 0);
  EXPECT_EQ(Slowtoken({"import", source, "-o", trace}).code, 0);
  const CommandResult result = Slowtoken({"import", source, "-o", source});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("is one of the files being read"), std::string::npos) << result.err;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path()), {}), 2) << "nothing else is left";
}

TEST_F(ImportVerb, WhatEndsEarlyIsSaidInTheTraceToo) {
  const std::string whole = Step(0);
  const std::string source = File("cut.json", whole.substr(0, whole.find("orphan")));
  const CommandResult imported = Slowtoken({"import", source, "-o", In("cut.stt")});
  EXPECT_EQ(imported.code, 0);
  EXPECT_NE(imported.err.find("cut.json: the JSON ends in the middle: the 7 events before are imported"),
            std::string::npos)
      << imported.err;
  const json report = json::parse(Slowtoken({"report", In("cut.stt"), "--format=json"}).out);
  EXPECT_EQ(report["coverage"]["complete"], false);
  EXPECT_NE(report["coverage"]["notes"].dump().find("the JSON ends in the middle"), std::string::npos);
  EXPECT_EQ(report["coverage"]["processes"][0]["clean_end"], false);
  EXPECT_EQ(Slowtoken({"verify", In("cut.stt")}).code, 0);
}

}  // namespace
}  // namespace slowtoken
