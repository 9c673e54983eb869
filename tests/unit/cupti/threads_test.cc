// Host threads and the worker at once: what ThreadSanitizer should see.
#include <pthread.h>

#include "source_fixture.h"

namespace slowtoken::cupti {
namespace {

using ThreadsTest = SourceTest;

// Host threads deliver kernels while the worker collects (run under TSan as well).
TEST_F(ThreadsTest, HostThreadsAndWorkerAtOnce) {
  ASSERT_TRUE(Start());
  struct Host {
    FakeCupti* fake;
    uint32_t delivered = 0;
  };
  Host hosts[3] = {{&fake}, {&fake}, {&fake}};
  pthread_t threads[3];
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(pthread_create(
                  &threads[i], nullptr,
                  [](void* data) -> void* {
                    auto* self = static_cast<Host*>(data);
                    for (int n = 0; n < 200; ++n) {
                      uint8_t* buffer = self->fake->Request();
                      if (buffer == nullptr) continue;
                      self->fake->Write(buffer, KernelRecordAt(1, 2));
                      self->fake->Complete(buffer);
                      ++self->delivered;
                    }
                    return nullptr;
                  },
                  &hosts[i]),
              0);
  }
  for (int i = 0; i < 100; ++i) Collect(), sched_yield();
  for (pthread_t thread : threads) pthread_join(thread, nullptr);
  Collect();
  Collect();
  EXPECT_EQ(events.kernels.size(), hosts[0].delivered + hosts[1].delivered + hosts[2].delivered);
}

// The NVTX door has started the session; the CUDA door attaches while the worker makes its rounds.
TEST_F(ThreadsTest, StartWhileTheWorkerCollects) {
  table = fake.Table();
  options.api = &table;
  source = arena.Make<CuptiSource>();
  ASSERT_TRUE(source->Init(arena, losses, options));
  pthread_t door;
  ASSERT_EQ(pthread_create(
                &door, nullptr,
                [](void* data) -> void* {
                  static_cast<CuptiSource*>(data)->Start();
                  return nullptr;
                },
                source),
            0);
  while (events.statuses.empty()) Collect();
  pthread_join(door, nullptr);
  EXPECT_EQ(events.statuses[0].state, record::SourceState::kActive);
}

}  // namespace
}  // namespace slowtoken::cupti
