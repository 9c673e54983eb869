#include "overhead_plan.h"

#include <random>

namespace slowtoken::cli {

std::vector<bool> WithFirst(size_t pairs, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<bool> order;
  while (order.size() < pairs) {
    const bool first = random() % 2 != 0;
    order.push_back(first);
    if (order.size() < pairs) order.push_back(!first);
  }
  return order;
}

}  // namespace slowtoken::cli
