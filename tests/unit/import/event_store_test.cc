#include "import/event_store.h"

#include <gtest/gtest.h>

namespace slowtoken::importing {
namespace {

using record::TimeNs;

record::Kernel KernelAt(TimeNs start, TimeNs end) {
  record::Kernel kernel;
  kernel.start = start;
  kernel.end = end;
  return kernel;
}

// Ends of events between Advances.
struct Log final : record::EventVisitor {
  using EventVisitor::On;
  void On(const record::Kernel& kernel) override { Take(kernel.start, kernel.end); }
  void On(const record::NvtxRange& range) override {
    Take(range.start, range.end);
    fields.push_back(range.fields.size());
  }
  void On(const record::Annotation& annotation) override { annotation_ends.push_back(annotation.end); }
  void On(const record::Advance& advance) override {
    if (!watermarks.empty()) {
      EXPECT_GT(advance.watermark, watermarks.back());
    }
    watermarks.push_back(advance.watermark);
  }
  void Take(TimeNs start, TimeNs end) {
    const TimeNs at = end == 0 ? start : end;
    if (!watermarks.empty()) {
      EXPECT_GT(at, watermarks.back()) << "it happened before the watermark";
    }
    ends.push_back(at);
  }
  std::vector<TimeNs> ends, watermarks, annotation_ends;
  std::vector<size_t> fields;
};

TEST(EventStore, TellsInTheOrderOfEnds) {
  EventStore store;
  store.Add(KernelAt(100, 900));
  store.Add(KernelAt(200, 300));
  record::NvtxRange range;
  range.start = 150;
  range.end = 500;
  store.Add(range);
  Log log;
  store.Tell(2000, log);
  EXPECT_EQ(log.ends, (std::vector<TimeNs>{300, 500, 900}));
  EXPECT_EQ(log.watermarks, std::vector<TimeNs>{2000});
}

TEST(EventStore, AnAdvanceAfterEachSecondAndBeforeTooManyEvents) {
  EventStore sparse, dense;
  for (TimeNs i = 1; i <= 10; ++i) sparse.Add(KernelAt(i * 500'000'000, i * 500'000'000 + 10));
  for (TimeNs i = 1; i <= 45'000; ++i) dense.Add(KernelAt(1000 + i, 1001 + i));
  Log few, many;
  sparse.Tell(0, few);
  dense.Tell(0, many);
  EXPECT_EQ(few.watermarks.size(), 5u);
  EXPECT_EQ(few.watermarks.back(), 5'000'000'010u);
  EXPECT_EQ(many.watermarks.size(), 3u);
}

TEST(EventStore, EventsOfOneInstantAreNotParted) {
  EventStore store;
  for (int i = 0; i < 45'000; ++i) store.Add(KernelAt(1000, 2000));
  Log log;
  store.Tell(0, log);
  EXPECT_EQ(log.watermarks, std::vector<TimeNs>{2000});
}

TEST(EventStore, UnknownTimesStayUnknown) {
  EventStore store;
  store.Add(KernelAt(0, 0));
  store.Add(KernelAt(50, 0));
  store.Add(KernelAt(100, 40));  // ends before it starts: kept as it is
  store.Shift(1000);
  EXPECT_EQ(store.kernels()[0].start, 0u);
  EXPECT_EQ(store.kernels()[1].start, 1050u);
  EXPECT_EQ(store.kernels()[1].end, 0u);
  EXPECT_EQ(store.kernels()[2].end, 1040u);
  EXPECT_EQ(store.extent().first, 1050);
  EXPECT_EQ(store.extent().last, 1100);
}

TEST(EventStore, RangesKeepTheirFields) {
  EventStore store;
  record::PayloadField field[2];
  record::NvtxRange range;
  range.start = 1;
  for (TimeNs i = 0; i < 3; ++i) {
    range.end = 10 + i;
    range.fields = std::span(field).first(i);
    store.Add(range);
  }
  Log log;
  store.Tell(0, log);
  EXPECT_EQ(log.fields, (std::vector<size_t>{0, 1, 2}));
}

TEST(EventStore, AnIterationIsToldWhenItBegins) {
  EventStore store;
  record::Annotation iter;
  iter.name = record::AnnotationName::kIter;
  iter.start = 100;
  iter.end = 900;
  store.Add(iter);
  Log log;
  store.Tell(0, log);
  EXPECT_EQ(log.annotation_ends, (std::vector<TimeNs>{0, 900}));
}

}  // namespace
}  // namespace slowtoken::importing
