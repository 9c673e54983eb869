// The order of the runs of `overhead`: pairs in blocks of two, each block ABBA or BAAB by lot, so that neither a slow
// drift nor whoever guesses the order favours one side. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace slowtoken::cli {

// Which run of each pair comes first: true = the one with slowtoken. An odd last pair is drawn for itself.
std::vector<bool> WithFirst(size_t pairs, uint64_t seed);

}  // namespace slowtoken::cli
