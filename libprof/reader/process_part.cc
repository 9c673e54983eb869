#include "reader/process_part.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace slowtoken::reader {

void ProcessPart::Add(std::unique_ptr<TraceFile> file) { files_.push_back({std::move(file)}); }

absl::Status ProcessPart::Rewind() {
  absl::Status result;
  for (Member& member : files_) {
    if (joined()) member.file->BeginsAnywhere();
    result.Update(member.file->Rewind());
    member.loaded = member.ended = false;
  }
  current_ = 0;
  expected_ = 0;
  without_gap_from_ = UINT64_MAX;
  gap_open_ = false;
  return result;
}

bool ProcessPart::Load() {
  size_t next = files_.size();
  for (size_t i = 0; i < files_.size(); ++i) {
    Member& member = files_[i];
    while (!member.ended && (!member.loaded || member.file->sequence() < expected_)) {
      member.loaded = member.file->Load();
      member.ended = !member.loaded;
    }
    if (member.loaded && (next == files_.size() || member.file->sequence() < files_[next].file->sequence())) next = i;
  }
  if (next == files_.size()) return false;
  current_ = next;
  TraceFile& file = current();
  const bool gap = file.sequence() != expected_;
  if (joined()) file.SetGapBefore(gap || file.sequence() == 0);
  if (file.sequence() == 0) without_gap_from_ = 0;
  gap_open_ = gap_open_ || gap;
  if (gap_open_ && file.has_advance()) {
    without_gap_from_ = file.watermark();
    gap_open_ = false;
  } else if (gap_open_) {
    without_gap_from_ = UINT64_MAX;
  }
  expected_ = file.sequence() + 1;
  files_[next].loaded = false;
  return true;
}

void ProcessPart::Deliver(record::EventVisitor& out, StateFilter* filter) { current().Deliver(out, filter); }

// Of a piece of the ring it matters also behind an end mark: a dump ends in the middle of things.
void ProcessPart::DeliverOpen(record::EventVisitor& out) {
  if (!clean_end() || part() == trace::FilePart::kDetail) current().DeliverOpen(out);
}

absl::Status ProcessPart::status() const {
  absl::Status result;
  for (const Member& member : files_) result.Update(member.file->status());
  return result;
}

uint64_t ProcessPart::bytes_read() const {
  uint64_t bytes = 0;
  for (const Member& member : files_) bytes += member.file->bytes_read();
  return bytes;
}

bool ProcessPart::clean_end() const {
  return std::any_of(files_.begin(), files_.end(), [this](const Member& member) {
    return member.file->info().clean_end && (!joined() || member.file->end_sequence() >= expected_);
  });
}

void ProcessPart::AddTo(ProcessInfo& info) const {
  for (const Member& member : files_) {
    const ProcessInfo& mine = member.file->info();
    info.file_bytes += mine.file_bytes;
    info.chunks += mine.chunks;
    info.last_watermark = std::max(info.last_watermark, mine.last_watermark);
    info.damage_count += mine.damage_count;
    info.inside_damage_count += mine.inside_damage_count;
    for (Damage damage : mine.damage) {
      if (joined()) {
        damage.detail = absl::StrCat(std::filesystem::path(mine.path).filename().string(), ": ", damage.detail);
      }
      info.damage.push_back(std::move(damage));
    }
    for (const auto& [cause, count] : mine.losses) {
      const auto known = std::find_if(info.losses.begin(), info.losses.end(),
                                      [&cause = cause](const auto& loss) { return loss.first == cause; });
      if (known == info.losses.end()) {
        info.losses.emplace_back(cause, count);
      } else {
        known->second = std::max(known->second, count);
      }
    }
  }
  info.files += static_cast<uint32_t>(files_.size());
}

}  // namespace slowtoken::reader
