#include "scenario/own_request.h"

#include <httplib.h>

#include "server/responder.h"

namespace slowtoken::demo {

void SendOwnRequest(Frontend& frontend, const std::string& id, int64_t n_prompt, int64_t max_new,
                    const std::function<bool(std::string_view)>& take) {
  Responder responder(frontend, {.prompt_tokens = n_prompt, .max_tokens = max_new, .stream = true}, id);
  if (!responder.begun()) return;
  bool done = false;
  httplib::DataSink sink;
  sink.write = [&](const char* data, size_t size) { return take({data, size}); };
  sink.is_writable = [] { return true; };
  sink.done = [&] { done = true; };
  responder.Submit();
  while (!done && responder.SendNext(sink)) continue;
  responder.Leave();
}

}  // namespace slowtoken::demo
