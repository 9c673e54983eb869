#include "nvtx/thread_directory.h"

#include "capture/task_file.h"

namespace slowtoken::nvtx {

void ThreadDirectory::Appeared(record::ThreadId thread, capture::RecordedText& texts, record::Dictionary& dictionary,
                               record::EventVisitor& out) {
  char buffer[32];
  const record::StringId* given = given_.Find(thread);
  const record::StringId name =
      given != nullptr ? *given : dictionary.InternText(texts.WrittenThread(capture::ReadThreadName(thread, buffer)));
  out.On(record::ThreadInfo{.thread = thread, .name = name, .process = 0});
}

void ThreadDirectory::Named(record::ThreadId thread, record::StringId name, record::EventVisitor& out) {
  if (record::StringId* given = given_.FindOrInsert(thread); given != nullptr) *given = name;
  out.On(record::ThreadInfo{.thread = thread, .name = name, .process = 0});
}

}  // namespace slowtoken::nvtx
