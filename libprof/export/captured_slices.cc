#include "export/captured_slices.h"

#include <absl/strings/str_split.h>

#include <algorithm>

namespace slowtoken::exporting {

void CapturedSlices::Close(record::LaneId lane, Stack& stack, size_t keep) {
  for (; stack.open.size() > keep; stack.open.pop_back()) {
    const Slice& slice = stack.open.back();
    event_.Start(slice.name, "captured").Number("correlation", stack.replay);
    window_->Add(tracks_->Captured(lane), SliceWindow::Shape::kNested, slice.start, slice.end, event_.Bytes());
  }
}

void CapturedSlices::Add(const record::Kernel& kernel, const std::string& path) {
  Stack& stack = stacks_[kernel.lane];
  const std::vector<std::string> names = absl::StrSplit(path, '/');
  size_t shared = 0;
  const bool goes_on = stack.replay == kernel.correlation && kernel.start >= stack.last_start;
  while (goes_on && shared < std::min(names.size(), stack.open.size()) && stack.open[shared].name == names[shared])
    ++shared;
  Close(kernel.lane, stack, shared);
  stack.replay = kernel.correlation;
  stack.last_start = kernel.start;
  for (Slice& slice : stack.open) slice.end = std::max(slice.end, kernel.end);
  for (size_t i = shared; i < names.size(); ++i) stack.open.push_back({names[i], kernel.start, kernel.end});
}

void CapturedSlices::Finish() {
  for (auto& [lane, stack] : stacks_) Close(lane, stack, 0);
}

}  // namespace slowtoken::exporting
