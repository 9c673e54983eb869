#include "slot_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/time.h"

namespace slowtoken::injection {
namespace {

// By the file, however it is named.
bool SameFile(const char* a, const char* b) {
  struct stat first, second;
  if (strcmp(a, b) == 0) return true;
  return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

const char* FileName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

// False if the variable is unset or names this library.
bool Foreign(const char* variable, const char* own, const char** file) {
  const char* value = getenv(variable);
  if (value == nullptr || value[0] == '\0' || SameFile(value, own)) return false;
  *file = FileName(value);
  return true;
}

}  // namespace

void SlotNotes::Init(const char* own) {
  const char* file = nullptr;
  if (Foreign("NVTX_INJECTION64_PATH", own, &file)) {
    notes_[0].source = record::Source::kNvtx;
    snprintf(notes_[0].detail, sizeof notes_[0].detail,
             "NVTX_INJECTION64_PATH leads to %.80s: ranges and requests are that tool's; unset it to let slowtoken in",
             file);
  }
  if (Foreign("NCCL_PROFILER_PLUGIN", own, &file)) {
    notes_[1].source = record::Source::kNccl;
    snprintf(notes_[1].detail, sizeof notes_[1].detail,
             "NCCL_PROFILER_PLUGIN names %.80s: collectives are reported to that tool", file);
  }
}

void SlotNotes::Collect(capture::CollectContext& context) {
  if (told_) return;
  told_ = true;
  for (const Note& note : notes_) {
    if (note.detail[0] != '\0') Tell(note, context);
  }
}

// No blind interval: what another tool was given was never ours.
void SlotNotes::Tell(const Note& note, capture::CollectContext& context) {
  record::SourceStatus status;
  status.source = note.source;
  status.state = record::SourceState::kRefused;
  status.detail = context.dictionary.InternText(note.detail);
  status.time = base::MonotonicNow();
  context.out.On(status);
  base::Log(base::LogLevel::kError, note.detail);
}

}  // namespace slowtoken::injection
