// From the JSON of PyTorch's profiler to events, read back from the trace.
#include "import/kineto_import.h"

#include "imported.h"
#include "kineto_text.h"

namespace slowtoken::importing {
namespace {

using record::AnnotationField;
using record::ApiClass;
using record::CopyKind;
using record::MemoryKind;

TEST(KinetoImport, AKernelAndItsLaunch) {
  const Imported in(KinetoText()
                        .Call("cudaLaunchKernel", 17, "1000.25", "2.5")
                        .Kernel("void gemm<float>(float*)", 17, "1010.125", "4")
                        .Text());
  ASSERT_TRUE(in.status.ok()) << in.status;
  ASSERT_EQ(in.kernels.size(), 1u);
  const record::Kernel& kernel = in.kernels[0];
  EXPECT_EQ(kernel.start, 1'010'125u);
  EXPECT_EQ(kernel.end, 1'014'125u);
  EXPECT_EQ(kernel.correlation, 17u);
  EXPECT_EQ(in.KernelName(kernel), "void gemm<float>(float*)");
  EXPECT_EQ(in.Shape(kernel).grid[1], 2u);
  EXPECT_EQ(in.Shape(kernel).block[0], 128u);
  EXPECT_EQ(in.Shape(kernel).registers, 32u);
  EXPECT_EQ(in.Shape(kernel).dynamic_shared, 1024u);
  const record::Lane& lane = in.Lane(kernel.lane);
  EXPECT_EQ(lane.device, 0u);
  EXPECT_EQ(lane.context, 1u);
  EXPECT_EQ(lane.stream, 7u);
  ASSERT_EQ(in.calls.size(), 1u);
  EXPECT_EQ(in.calls[0].start, 1'000'250u);
  EXPECT_EQ(in.calls[0].end, 1'002'750u);
  EXPECT_EQ(in.calls[0].thread, 4712u);
  EXPECT_EQ(in.calls[0].cbid, 211u);
  EXPECT_EQ(in.calls[0].api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(in.process().pid, 4711u);
  EXPECT_TRUE(in.process().clean_end);
}

TEST(KinetoImport, BugLog91_TimesAreExactWithAndWithoutABaseInEveryNotation) {
  // The base stands behind the events, as newer files have it.
  const Imported based(KinetoText()
                           .Kernel("k", 1, "4458676522690.655", "0.001")
                           .After(R"("baseTimeNanoseconds": 1711964646000000000)")
                           .Text());
  EXPECT_EQ(based.kernels[0].start, 1'711'964'646'000'000'000u + 4'458'676'522'690'655u);
  EXPECT_EQ(based.kernels[0].end - based.kernels[0].start, 1u);
  EXPECT_EQ(based.process().start_utc, based.process().start);
  const Imported dated(KinetoText()
                           .Kernel("k", 1, "1712195495519689.001", "0.05")
                           .Kernel("k", 2, R"("1712195495519689.101")", R"("0.5")")
                           .Text());
  ASSERT_EQ(dated.kernels.size(), 2u);
  EXPECT_EQ(dated.kernels[1].start - dated.kernels[0].start, 100u) << "100 ns apart stay 100 ns apart";
  EXPECT_EQ(dated.kernels[0].start, 1'712'195'495'519'689'001u);
  ASSERT_FALSE(dated.clocks.empty());
  EXPECT_EQ(dated.clocks[0].realtime, dated.clocks[0].monotonic);
}

TEST(KinetoImport, TimesThatAreNoDatesGiveNoUtcAndNoneIsZero) {
  const Imported in(KinetoText().Kernel("a", 1, "-2", "1").Kernel("b", 2, "0", "1").Kernel("c", 3, "5.5", "1").Text());
  ASSERT_EQ(in.kernels.size(), 3u);
  EXPECT_EQ(in.kernels[1].start - in.kernels[0].start, 2'000u);
  EXPECT_EQ(in.kernels[2].start - in.kernels[0].start, 7'500u);
  EXPECT_GT(in.kernels[0].start, 0u);
  EXPECT_TRUE(in.clocks.empty());
  EXPECT_EQ(in.process().start_utc, 0u);
}

TEST(KinetoImport, CategoriesAndThreadsOf2021) {
  const Imported in(
      KinetoText()
          .Complete("Runtime", "cudaLaunchKernel", "5555", R"("5555")", "10", "2", R"("cbid": 211, "correlation": 9)")
          .Complete("Kernel", "old", "2", R"("stream 7")", "20", "3",
                    R"("device": 2, "context": 1, "stream": 7, "correlation": 9, "external id": 50)")
          .Complete("Memcpy", "Memcpy HtoD (Pageable -> Device)", "2", R"("stream 20")", "30", "3",
                    R"("context": 1, "correlation": 10, "bytes": 64)")
          .Complete("Operator", "aten::add", "5555", R"("5555")", "9", "5")
          .Event(R"("ph": "i", "name": "[memory]", "pid": 5555, "tid": 5555, "ts": 9, "s": "t")")
          .Text());
  ASSERT_EQ(in.kernels.size(), 1u);
  EXPECT_EQ(in.calls[0].thread, 5555u);
  EXPECT_EQ(in.Lane(in.kernels[0].lane).device, 2u);
  ASSERT_EQ(in.copies.size(), 1u);
  EXPECT_EQ(in.Lane(in.copies[0].lane).device, 2u) << "the pid is the device";
  EXPECT_EQ(in.Lane(in.copies[0].lane).stream, 20u) << "the tid is the stream";
  EXPECT_EQ(in.copies[0].src, MemoryKind::kPageable);
  EXPECT_EQ(in.copies[0].bytes, 64u);
  ASSERT_EQ(in.ranges.size(), 1u);
  EXPECT_EQ(in.Domain(in.ranges[0]), "cpu_op");
  EXPECT_EQ(in.trace.notes, std::vector<std::string>{"left out: 1 memory marks"});
}

TEST(KinetoImport, NamesOfRocm) {
  const Imported in(
      KinetoText()
          .Before(R"("roctracer_version": 4.1, "hip_runtime_version": 70051831)")
          .Before(R"("deviceProperties": [{"id": 2, "name": "", "totalGlobalMem": 206141652992, "numSms": 304}])")
          .Call("hipGraphLaunch", 5, "10", "2")
          .Call("hipExtModuleLaunchKernel", 6, "13", "2")
          .Call("hipMemcpyWithStream", 7, "16", "2")
          .Complete("kernel", "Cijk", "2", "0", "20", "1",
                    R"("device": 2, "stream": 0, "correlation": 5, "kind": "Dispatch Task")")
          .Complete("gpu_memcpy", "Memcpy HtoD (Host -> Device)", "2", "0", "30", "1",
                    R"("device": 2, "stream": 0, "correlation": 7, "kind": "HtoD", "size": "2560")")
          .Complete("gpu_memcpy", "CopyHostToDevice", "2", "0", "32", "1",
                    R"("device": 2, "stream": 0, "correlation": 8, "kind": "HtoD", "bytes": 12)")
          .Text());
  ASSERT_EQ(in.calls.size(), 3u);
  EXPECT_EQ(in.calls[0].api_class, ApiClass::kGraphLaunch);
  EXPECT_EQ(in.calls[1].api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(in.calls[2].api_class, ApiClass::kMemcpy);
  ASSERT_EQ(in.copies.size(), 2u);
  EXPECT_EQ(in.copies[0].bytes, 2560u);
  EXPECT_EQ(in.copies[1].copy_kind, CopyKind::kHtoD);
  ASSERT_EQ(in.devices.size(), 1u);
  EXPECT_EQ(in.devices[0].sm_count, 304u);
  EXPECT_FALSE(in.devices[0].has_uuid());
  EXPECT_EQ(in.conditions.at("library.hip"), "7.0.51831");
}

TEST(KinetoImport, OnlyDevicesThatWorkedAreTold) {
  const Imported in(KinetoText()
                        .Before(R"("deviceProperties": [{"id": 0, "name": "A100"}, {"id": 1, "name": "A100"}])")
                        .Kernel("k", 1, "10", "1")
                        .Text());
  ASSERT_EQ(in.devices.size(), 1u);
  EXPECT_EQ(in.Text(in.devices[0].name), "A100");
}

TEST(KinetoImport, CallsOfEveryKind) {
  KinetoText trace;
  const std::vector<std::pair<const char*, ApiClass>> calls = {{"cudaLaunchKernelExC", ApiClass::kKernelLaunch},
                                                               {"cudaLaunchKernel_v7000", ApiClass::kKernelLaunch},
                                                               {"cuLaunchKernelEx", ApiClass::kKernelLaunch},
                                                               {"hipModuleLaunchKernel", ApiClass::kKernelLaunch},
                                                               {"hipLaunchKernel", ApiClass::kKernelLaunch},
                                                               {"cudaGraphLaunch", ApiClass::kGraphLaunch},
                                                               {"cudaMemcpyAsync", ApiClass::kMemcpy},
                                                               {"cudaMemsetAsync", ApiClass::kMemset},
                                                               {"cudaStreamSynchronize", ApiClass::kSynchronize},
                                                               {"hipEventSynchronize", ApiClass::kSynchronize},
                                                               {"cudaMalloc", ApiClass::kMemory},
                                                               {"hipFree", ApiClass::kMemory},
                                                               {"cudaGraphInstantiate", ApiClass::kGraphBuild},
                                                               {"cuModuleLoadData", ApiClass::kModule},
                                                               {"cudaLaunchHostFunc", ApiClass::kOther},
                                                               {"cudaEventRecord", ApiClass::kOther},
                                                               {"somethingNew", ApiClass::kOther}};
  for (size_t i = 0; i < calls.size(); ++i) {
    trace.Call(calls[i].first, static_cast<int>(i + 1), std::to_string(10 * i + 10), "5");
  }
  const Imported in(trace.Text());
  ASSERT_EQ(in.calls.size(), calls.size());
  for (const record::ApiCall& call : in.calls)
    EXPECT_EQ(call.api_class, calls[call.correlation - 1].second) << in.Text(call.name);
}

TEST(KinetoImport, BugLog39_ACallThatKernelsNameIsALaunchWhateverItIsCalled) {
  const Imported in(KinetoText()
                        .Call("futureLaunch", 5, "10", "2")
                        .Call("cudaEventRecord", 6, "13", "2")
                        .Kernel("k", 5, "20", "1")
                        .Text());
  EXPECT_EQ(in.calls[0].api_class, ApiClass::kKernelLaunch);
  EXPECT_EQ(in.calls[1].api_class, ApiClass::kOther);
}

TEST(KinetoImport, RangesStandInDomainsByTheirKind) {
  const Imported in(KinetoText()
                        .Annotation("my step", "10", "20")
                        .Complete("cpu_op", "aten::mm", "4711", "4712", "11", "2", R"("Input Dims": [[1, 2], [3]])")
                        .Complete("python_function", "/opt/vllm/v1/worker.py(117): step", "4711", "4712", "12", "2")
                        .Complete("gpu_user_annotation", "my step", "0", "7", "30", "5", R"("External id": 9)")
                        .Text());
  ASSERT_EQ(in.ranges.size(), 4u);
  std::map<std::string, const record::NvtxRange*> by_domain;
  for (const record::NvtxRange& range : in.ranges) by_domain[in.Domain(range)] = &range;
  EXPECT_EQ(in.Text(by_domain.at("user_annotation")->message), "my step");
  EXPECT_EQ(by_domain.at("user_annotation")->thread, 4712u);
  EXPECT_EQ(by_domain.at("user_annotation")->end, 30'000u);
  EXPECT_EQ(in.Text(by_domain.at("cpu_op")->message), "aten::mm");
  EXPECT_EQ(in.Text(by_domain.at("python_function")->message), "worker.py(117): step") << "no folders";
  const record::NvtxRange& gpu = *by_domain.at("gpu_user_annotation");
  EXPECT_NE(gpu.range_id, 0u);
  EXPECT_EQ(gpu.thread, 0u);
  EXPECT_EQ(in.range_fields.back().at("stream"), "7");
}

TEST(KinetoImport, ACollectiveKeepsItsArguments) {
  const Imported in(
      KinetoText()
          .Kernel("ncclDevKernel_AllReduce", 4, "10", "5",
                  R"(, "Collective name": "allreduce", "In msg nelems": 6637568, "Out msg nelems": 6637568,)"
                  R"( "Group size": 2, "dtype": "Float", "Process Group Ranks": "[0, 1]")")
          .Text());
  ASSERT_EQ(in.kernels.size(), 1u);
  ASSERT_EQ(in.ranges.size(), 1u);
  EXPECT_EQ(in.Domain(in.ranges[0]), "collective");
  EXPECT_EQ(in.Text(in.ranges[0].message), "allreduce");
  EXPECT_EQ(in.ranges[0].start, in.kernels[0].start);
  EXPECT_EQ(in.range_fields[0].at("in_elements"), "6637568");
  EXPECT_EQ(in.range_fields[0].at("dtype"), "Float");
  EXPECT_EQ(in.range_fields[0].at("group_ranks"), "[0, 1]");
  EXPECT_EQ(in.range_fields[0].at("group_size"), "2");
}

TEST(KinetoImport, ALabelOfAStepBecomesAnIteration) {
  const Imported in(
      KinetoText()
          .Annotation("ProfilerStep#7", "5", "100")
          .Annotation("execute_32_context_1(sq8sk8sqsq64sqsk64)_generation_31(sq31sk99sqsq31sqsk99)", "10", "20")
          .Annotation("step[DECODE bs=32]", "11", "18")
          .Annotation("step[EXTEND bs=2 toks=700]", "40", "20")
          .Annotation("nothing special", "41", "2")
          .Text());
  ASSERT_EQ(in.annotations.size(), 2u) << "the inner label is no iteration of its own, nor is the profiler's step";
  const record::Annotation& mixed = in.annotations[0];
  EXPECT_EQ(mixed.name, record::AnnotationName::kIter);
  EXPECT_EQ(mixed.start, 10'000u);
  EXPECT_EQ(mixed.end, 30'000u);
  EXPECT_EQ(mixed.Get(AnnotationField::kIterNo), 0u);
  EXPECT_EQ(mixed.Get(AnnotationField::kNPrefill), 1u);
  EXPECT_EQ(mixed.Get(AnnotationField::kNDecode), 31u);
  EXPECT_EQ(mixed.Get(AnnotationField::kPrefillTok), 8u);
  EXPECT_EQ(in.annotations[1].Get(AnnotationField::kIterNo), 1u);
  EXPECT_EQ(in.annotations[1].Get(AnnotationField::kPrefillTok), 700u);
  EXPECT_EQ(in.ranges.size(), 5u) << "labels stay ranges as well";
}

TEST(KinetoImport, StepsOfTheProfilerAreIterationsWhereNoEngineSpeaks) {
  const Imported in(KinetoText()
                        .Before(R"("distributedInfo": {"rank": 3})")
                        .Annotation("ProfilerStep#7", "5", "100")
                        .Annotation("ProfilerStep#8", "105", "100")
                        .Text());
  ASSERT_EQ(in.annotations.size(), 2u);
  EXPECT_EQ(in.annotations[1].Get(AnnotationField::kIterNo), 8u);
  EXPECT_EQ(in.annotations[1].Get(AnnotationField::kDpRank), 3u);
  EXPECT_FALSE(in.annotations[1].Has(AnnotationField::kNPrefill));
}

TEST(KinetoImport, TheRankNamesTheProcess) {
  const Imported in(KinetoText()
                        .Before(R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8})")
                        .Kernel("k", 1, "10", "1")
                        .Text());
  EXPECT_EQ(in.process().role, "rank3");
  EXPECT_EQ(in.process().labels,
            (std::vector<std::pair<std::string, std::string>>{{"world_size", "8"}, {"backend", "nccl"}}));
  for (const char* info : {R"("distributedInfo": {"backend": "nccl"})", R"("distributedInfo": {"rank": "x"})",
                           R"("distributedInfo": {"rank": -1})", R"("distributedInfo": 5)"}) {
    EXPECT_EQ(Imported(KinetoText().Before(info).Kernel("k", 1, "10", "1").Text()).process().role, "process") << info;
  }
}

TEST(KinetoImport, BugLog82_WorkWithoutATimeIsKeptAndHasNone) {
  const Imported in(KinetoText()
                        .Kernel("lost", 1, "0", "0")
                        .Kernel("no end", 2, "1712195495519689", "null")
                        .Kernel("good", 3, "1712195495519690", "2")
                        .Kernel("backwards", 4, "1712195495519695", "-3")
                        .Text());
  ASSERT_EQ(in.kernels.size(), 4u);
  std::map<std::string, record::Kernel> by_name;
  for (const record::Kernel& kernel : in.kernels) by_name[in.KernelName(kernel)] = kernel;
  EXPECT_EQ(by_name["lost"].start, 0u);
  EXPECT_EQ(by_name["no end"].end, 0u);
  EXPECT_EQ(by_name["good"].end - by_name["good"].start, 2'000u);
  EXPECT_LT(by_name["backwards"].end, by_name["backwards"].start) << "the report counts it as untimed";
}

TEST(KinetoImport, SynchronisationAndOverhead) {
  const Imported in(KinetoText()
                        .Complete("cuda_sync", "Stream Wait Event", "0", "7", "10", "1",
                                  R"("stream": 7, "device": 0, "context": 1, "correlation": 8)")
                        .Complete("overhead", "Buffer Flush", "-1", "4712", "20", "3")
                        .Text());
  ASSERT_EQ(in.syncs.size(), 1u);
  EXPECT_EQ(in.syncs[0].kind, record::SyncKind::kStreamWaitEvent);
  ASSERT_EQ(in.overheads.size(), 1u);
  EXPECT_EQ(in.overheads[0].kind, record::OverheadKind::kBufferFlush);
}

TEST(KinetoImport, WhatIsLeftOutIsSaid) {
  const Imported in(KinetoText()
                        .Kernel("k", 1, "10", "1")
                        .Complete("mtia_ccp_events", "x", "1", "1", "1", "1")
                        .Event(R"("ph": "C", "name": "counter", "ts": 1)")
                        .Event(R"("ph": "s", "id": 1, "ts": 1, "cat": "ac2g", "name": "ac2g")")
                        .Complete("cpu_op", "when?", "1", "1", "\"soon\"", "1")
                        .Text());
  EXPECT_EQ(in.trace.notes, std::vector<std::string>{"left out: 1 events of category `mtia_ccp_events`, 1 events of "
                                                     "kind `C`, 1 host events without a time"});
  EXPECT_EQ(in.conditions.at("import.note.1"), in.trace.notes[0]);
}

}  // namespace
}  // namespace slowtoken::importing
