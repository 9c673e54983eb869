// CUPTI at the edges of a process: no driver, before main, after exit, in a forked child, finalised.
#include <cupti.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "client.h"
#include "kernels.h"
#include "scenario.h"

namespace simgpu_test {
namespace {

TEST(LifeCycle, WithoutADriverAsTheRealLibrary) {
  const Outcome outcome = RunProgram("simgpu_cupti_moments", "no_driver", nullptr);
  EXPECT_EQ(outcome.code, 0) << outcome.errors;
}

TEST(LifeCycle, BugLog4_CallFromALoadTimeConstructor) {
  EXPECT_EQ(RunProgram("simgpu_cupti_moments", "early", "").code, 0);
  const Outcome outcome = RunProgram("simgpu_cupti_moments", "early", "cupti.abort_before_main");
  EXPECT_FALSE(outcome.exited);
  EXPECT_NE(outcome.errors.find("before main"), std::string::npos) << outcome.errors;
  EXPECT_EQ(RunProgram("simgpu_cupti_moments", "in_main", "cupti.abort_before_main").code, 0);
}

TEST(LifeCycle, BugLog4_CallAfterExitHandlersBegan) {
  EXPECT_EQ(RunProgram("simgpu_cupti_moments", "late", "").code, 0);
  const Outcome outcome = RunProgram("simgpu_cupti_moments", "late", "cupti.abort_after_exit");
  EXPECT_FALSE(outcome.exited);
  EXPECT_NE(outcome.errors.find("after exit"), std::string::npos) << outcome.errors;
  EXPECT_EQ(RunProgram("simgpu_cupti_moments", "at_exit", "cupti.abort_after_exit").code,
            0);  // a client's own handler is in time
}

// The status with which a child forked after use of CUPTI ends: 0 if it was refused.
int ForkAndFlush() {
  Client& client = Client::Get();
  client.Register();
  client.Enable({kKernelKind});
  LaunchShort(nullptr);
  cudaDeviceSynchronize();
  const pid_t child = fork();
  if (child == 0) _exit(cuptiActivityFlushAll(0) == CUPTI_ERROR_NOT_INITIALIZED ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(LifeCycle, BugLog14_ForkedChildIsRefusedAndTheParentGoesOn) {
  Scenario("", [] {
    EXPECT_EQ(ForkAndFlush(), 0);
    Client::Get().Flush();
    EXPECT_EQ(Client::Get().Kernels().size(), 1u);
  });
}

TEST(LifeCycle, BugLog14_ForkedChildDiesIfThePlanSaysSo) {
  Scenario("cupti.abort_in_child", [] {
    const int status = ForkAndFlush();
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(WTERMSIG(status), SIGABRT);
  });
}

std::atomic<bool> g_open{false}, g_release{false};

void Linger(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* cbdata) {
  if (static_cast<const CUpti_CallbackData*>(cbdata)->callbackSite != CUPTI_API_ENTER) return;
  g_open = true;
  while (!g_release.load()) std::this_thread::yield();
}

TEST(LifeCycle, BugLog1_FinalizeWhileACallbackIsOpen) {
  ScenarioDies("cupti.finalize_abort",
               "cuptiFinalize while 1 callbacks are open on other threads (cudaDeviceSynchronize)", [] {
                 cudaFree(nullptr);
                 CUpti_SubscriberHandle subscriber = nullptr;
                 ASSERT_EQ(cuptiSubscribe(&subscriber, Linger, nullptr), CUPTI_SUCCESS);
                 EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
                 std::thread other([] { cudaDeviceSynchronize(); });
                 EXPECT_TRUE(Eventually([] { return g_open.load(); }));
                 cuptiFinalize();
                 g_release = true;
                 other.join();
               });
}

void FinalizeAtExit(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* cbdata) {
  if (static_cast<const CUpti_CallbackData*>(cbdata)->callbackSite == CUPTI_API_EXIT) {
    EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
  }
}

TEST(LifeCycle, FinalizeFromAnApiExitDetachesAndOneMayStartAgain) {
  Scenario("cupti.finalize_abort", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe(&subscriber, FinalizeAtExit, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    cudaDeviceSynchronize();
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.ForceFlush();
    EXPECT_TRUE(client.Kernels().empty());
    ASSERT_EQ(cuptiSubscribe(&subscriber, FinalizeAtExit, nullptr), CUPTI_SUCCESS);
    client.Enable({kKernelKind});
    LaunchShort(nullptr);
    cudaDeviceSynchronize();
    client.Flush();
    EXPECT_EQ(client.Kernels().size(), 1u);
  });
}

TEST(LifeCycle, FinalizeLetsGoOfTheBuffers) {
  Scenario("", [] {
    Client& client = Client::Get();
    client.Register();
    client.Enable({kKernelKind});
    LaunchLong(nullptr);
    EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
    ASSERT_EQ(client.Given().size(), 1u);
    uint8_t* memory = client.Given()[0];
    std::memset(memory, 0x3c, client.buffer_bytes);  // the client's own again
    cudaDeviceSynchronize();
    EXPECT_TRUE(Eventually([] { return Stats().late_completions == 1; }));
    for (size_t i = 0; i < client.buffer_bytes; ++i) ASSERT_EQ(memory[i], 0x3c) << i;
    EXPECT_TRUE(client.Buffers().empty());
  });
}

TEST(LifeCycle, UnsubscribeWaitsForAnOpenCallback) {
  Scenario("", [] {
    cudaFree(nullptr);
    CUpti_SubscriberHandle subscriber = nullptr;
    ASSERT_EQ(cuptiSubscribe(&subscriber, Linger, nullptr), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, kSync), CUPTI_SUCCESS);
    std::thread other([] { cudaDeviceSynchronize(); });
    EXPECT_TRUE(Eventually([] { return g_open.load(); }));
    static std::atomic<bool> done{false};
    std::thread stopper([subscriber] {
      EXPECT_EQ(cuptiUnsubscribe(subscriber), CUPTI_SUCCESS);
      done = true;
    });
    const timespec while_open{0, 30'000'000};
    nanosleep(&while_open, nullptr);
    EXPECT_FALSE(done.load());
    g_release = true;
    stopper.join();
    other.join();
  });
}

}  // namespace
}  // namespace simgpu_test
