// CUDA's door: the driver loads the library named by CUDA_INJECTION64_PATH inside cuInit and calls InitializeInjection
// on the thread that called cuInit.
#include "boundary.h"
#include "wiring.h"

// Returns 1: the driver takes 0 for a failed injection and says so to the user.
SLOWTOKEN_EXPORT int InitializeInjection() {
  const slowtoken::injection::KeepErrno keep;
  if (slowtoken::injection::StartSession()) slowtoken::injection::StartCupti();
  return 1;
}
