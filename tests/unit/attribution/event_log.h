// EventLog: events as a test makes them, owned, to be delivered to an engine in whatever order the test likes.
#pragma once

#include <variant>
#include <vector>

#include "record/visitor.h"

namespace slowtoken::attribution::testing {

struct LoggedEvent {
  std::variant<record::Kernel, record::Memcpy, record::Memset, record::GraphLaunch, record::ApiCall, record::Annotation,
               record::DeviceSample, record::DeviceInfo, record::OffCpu, record::CpuSample, record::HostSample,
               record::Overhead, record::SourceStatus>
      event;
  std::vector<record::BatchRow> rows;  // of a batch annotation
  record::TimeNs known = 0;            // when it can be delivered at the earliest: its end

  void DeliverTo(record::EventVisitor& visitor) const {
    if (const auto* annotation = std::get_if<record::Annotation>(&event)) {
      record::Annotation copy = *annotation;
      copy.rows = rows;
      visitor.On(copy);
      return;
    }
    std::visit([&](const auto& e) { visitor.On(e); }, event);
  }
};

using EventLog = std::vector<LoggedEvent>;

}  // namespace slowtoken::attribution::testing
