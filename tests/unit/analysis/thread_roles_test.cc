// What a thread is for, told by the ranges that it opens.
#include "analysis/thread_roles.h"

#include <gtest/gtest.h>

#include "attribution/iteration.h"

namespace slowtoken::analysis {
namespace {

using attribution::ThreadKey;
using record::AnnotationName;

class ThreadRolesTest : public ::testing::Test {
 protected:
  void Range(AnnotationName name, record::ThreadId thread, record::ProcessIndex process = 0,
             record::AnnotationKind kind = record::AnnotationKind::kPushPop) {
    record::Annotation annotation;
    annotation.name = name;
    annotation.kind = kind;
    annotation.thread = thread;
    annotation.process = process;
    roles_.Add(annotation);
  }
  ThreadRoles roles_;
};

TEST_F(ThreadRolesTest, WhoRunsIterationsSchedulesUnlessAnotherSaysThatItDoes) {
  Range(AnnotationName::kIter, 7);
  EXPECT_EQ(roles_.Of(ThreadKey(0, 7)), "scheduling thread");
  Range(AnnotationName::kIterSchedule, 8, 1);
  EXPECT_EQ(roles_.Of(ThreadKey(1, 8)), "scheduling thread");
  EXPECT_EQ(roles_.Of(ThreadKey(0, 7)), "launching thread");
  Range(AnnotationName::kIterSchedule, 7);
  EXPECT_EQ(roles_.Of(ThreadKey(0, 7)), "scheduling thread");
}

TEST_F(ThreadRolesTest, ThoseThatServeRequestsAreToldApart) {
  Range(AnnotationName::kReqTokenize, 1);
  Range(AnnotationName::kReqDetok, 2);
  Range(AnnotationName::kReqSend, 3, 0, record::AnnotationKind::kStartEnd);
  Range(AnnotationName::kReqTokenize, 4);
  Range(AnnotationName::kReqSend, 4);
  Range(AnnotationName::kIterSample, 5);
  EXPECT_EQ(roles_.Of(ThreadKey(0, 1)), "tokenizer thread");
  EXPECT_EQ(roles_.Of(ThreadKey(0, 2)), "detokenizer thread");
  EXPECT_EQ(roles_.Of(ThreadKey(0, 3)), "sending thread");
  EXPECT_EQ(roles_.Of(ThreadKey(0, 4)), "serving thread");
  EXPECT_EQ(roles_.Of(ThreadKey(0, 5)), "sampling thread");
}

TEST_F(ThreadRolesTest, MarksAndUnknownThreadsTellNothing) {
  Range(AnnotationName::kIter, 7, 0, record::AnnotationKind::kMark);
  Range(AnnotationName::kGc, 9);
  EXPECT_EQ(roles_.Of(ThreadKey(0, 7)), "");
  EXPECT_EQ(roles_.Of(ThreadKey(0, 9)), "");
}

TEST_F(ThreadRolesTest, AThreadIdThatProcessesUseForSeveralThingsHasNone) {
  Range(AnnotationName::kReqSend, 7, 0);
  EXPECT_EQ(roles_.OfThread(7), "sending thread");
  Range(AnnotationName::kReqDetok, 7, 1);
  EXPECT_EQ(roles_.OfThread(7), "");
}

}  // namespace
}  // namespace slowtoken::analysis
