// EventText: one TrackEvent's name, category, arguments and flow as bytes, ready for SliceWindow. Single threaded; the
// message is reused, so an event costs no allocation but its bytes.
#pragma once

#include <string>
#include <string_view>

#include "export/perfetto_writer.h"

namespace slowtoken::exporting {

class EventText {
 public:
  explicit EventText(PerfettoWriter& writer) : writer_(&writer) {}

  EventText& Start(uint64_t name, const char* category) {
    event_.Clear();
    event_.set_name_iid(name);
    event_.add_category_iids(writer_->Category(category));
    return *this;
  }
  EventText& Start(std::string_view name, const char* category) { return Start(writer_->EventName(name), category); }

  EventText& Number(std::string_view name, uint64_t value) {
    Argument(name).set_uint_value(value);
    return *this;
  }
  EventText& Signed(std::string_view name, int64_t value) {
    Argument(name).set_int_value(value);
    return *this;
  }
  EventText& Double(std::string_view name, double value) {
    Argument(name).set_double_value(value);
    return *this;
  }
  // `text` must be safe (analysis::SafeText).
  EventText& Text(std::string_view name, std::string text) {
    Argument(name).set_string_value(std::move(text));
    return *this;
  }
  // Joins an API call and the GPU work it started; nothing where there is no correlation id.
  EventText& Flow(record::ProcessIndex process, record::CorrelationId correlation) {
    if (correlation != 0) event_.add_flow_ids(TrackUuid("flow", process, correlation));
    return *this;
  }

  std::string Bytes() const { return event_.SerializeAsString(); }

 private:
  perfetto::DebugAnnotation& Argument(std::string_view name) {
    perfetto::DebugAnnotation& argument = *event_.add_debug_annotations();
    argument.set_name_iid(writer_->ArgumentName(name));
    return argument;
  }

  PerfettoWriter* writer_;
  perfetto::TrackEvent event_;
};

}  // namespace slowtoken::exporting
