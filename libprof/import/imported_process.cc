#include "import/imported_process.h"

namespace slowtoken::importing {
namespace {

// Address space; used as needed.
constexpr size_t kArenaBytes = size_t{768} << 20;

}  // namespace

bool ImportNames::Init() { return arena_.Reserve(kArenaBytes, false) && dictionary_.Init(arena_, kLimits, losses_); }

}  // namespace slowtoken::importing
