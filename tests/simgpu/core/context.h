// Contexts: primary ones per device and those made by cuCtxCreate; each thread's stack of current contexts.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace simgpu {

struct Stream;

struct Context {
  static constexpr uint32_t kMagic = 0x43545854;

  uint32_t magic = kMagic;
  uint32_t uid = 0;
  int device = 0;
  unsigned flags = 0;
  bool primary = false;
  uint32_t references = 0;  // of a primary context
  Stream* legacy = nullptr;
  std::mutex mutex;                        // guards the two below
  std::vector<Stream*> streams;            // made by the program
  std::map<uint64_t, Stream*> per_thread;  // by pthread_self
  std::map<int, size_t> limits;
};

// The calling thread's current context, or nullptr.
Context* CurrentContext();
void SetCurrentContext(Context* context);
bool PushContext(Context* context);
Context* PopContext();

// Creates a context and tells the tool. Never freed: a destroyed context loses its magic.
Context* CreateContext(int device, unsigned flags);
// Waits for its work, destroys its streams.
void DestroyContext(Context* context);
Context* RetainPrimary(int device);
// Returns false if it was not active.
bool ReleasePrimary(int device, bool reset);
bool PrimaryActive(int device);
void SetPrimaryFlags(int device, unsigned flags);
unsigned PrimaryFlags(int device);

std::vector<Context*> AllContexts();
Context* ContextFrom(CUcontext handle);  // nullptr if bad
inline CUcontext ContextHandle(Context* context) { return reinterpret_cast<CUcontext>(context); }

}  // namespace simgpu
