// EventLog: an EventVisitor that keeps what NVTX events say, with texts in place of ids. For tests.
#pragma once

#include <algorithm>
#include <bit>
#include <map>
#include <string>
#include <vector>

#include "record/dictionary.h"
#include "record/visitor.h"

namespace slowtoken::nvtx {

struct LoggedField {
  std::string name;
  record::PayloadType type{};
  uint64_t bits = 0;
  std::string text;
  int64_t as_int() const { return static_cast<int64_t>(bits); }
  double as_double() const { return std::bit_cast<double>(bits); }
};

struct LoggedRange {
  record::NvtxRange event;
  std::string message;
  std::vector<LoggedField> fields;
};

struct LoggedMark {
  record::NvtxMark event;
  std::string message;
  std::vector<LoggedField> fields;
};

struct LoggedAnnotation {
  record::Annotation event;  // its `rows` must not be used
  std::vector<record::BatchRow> rows;
  std::string Text(const record::Dictionary& dictionary, record::AnnotationField field) const {
    return std::string(dictionary.text(static_cast<record::StringId>(event.Get(field))));
  }
};

class EventLog : public record::EventVisitor {
 public:
  explicit EventLog(record::Dictionary& dictionary) : dictionary_(dictionary) {}

  void On(const record::NvtxRange& e) override { ranges.push_back({e, Text(e.message), Fields(e.fields)}); }
  void On(const record::NvtxMark& e) override { marks.push_back({e, Text(e.message), Fields(e.fields)}); }
  void On(const record::Annotation& e) override { annotations.push_back({e, {e.rows.begin(), e.rows.end()}}); }
  void On(const record::SourceStatus& e) override { statuses.push_back(e); }
  void On(const record::ThreadInfo& e) override { threads.emplace_back(e.thread, Text(e.name)); }
  void On(const record::NvtxDomainInfo& e) override { domains[Text(e.name)] = e.domain; }
  void On(const record::NvtxCategoryInfo& e) override { categories[{e.domain, e.category}] = Text(e.name); }
  void On(const record::RequestIdText& e) override { clear_ids.emplace_back(e.req, std::string(e.text)); }

  std::vector<std::string> RangeMessages() const {
    std::vector<std::string> messages;
    for (const LoggedRange& range : ranges) messages.push_back(range.message);
    return messages;
  }
  std::vector<std::string> MarkMessages() const {
    std::vector<std::string> messages;
    for (const LoggedMark& mark : marks) messages.push_back(mark.message);
    return messages;
  }
  const LoggedRange* FindRange(const std::string& message) const {
    const auto found = std::find_if(ranges.begin(), ranges.end(), [&](const auto& r) { return r.message == message; });
    return found == ranges.end() ? nullptr : &*found;
  }

  std::vector<LoggedRange> ranges;
  std::vector<record::SourceStatus> statuses;
  std::vector<LoggedMark> marks;
  std::vector<LoggedAnnotation> annotations;
  std::vector<std::pair<record::ThreadId, std::string>> threads;
  std::map<std::string, record::DomainId> domains;
  std::map<std::pair<record::DomainId, uint32_t>, std::string> categories;
  std::vector<std::pair<record::RequestId, std::string>> clear_ids;

 private:
  std::string Text(record::StringId id) const { return std::string(dictionary_.text(id)); }
  std::vector<LoggedField> Fields(std::span<const record::PayloadField> fields) const {
    std::vector<LoggedField> logged;
    for (const record::PayloadField& field : fields) {
      const bool text = field.type == record::PayloadType::kText;
      logged.push_back({Text(field.name), field.type, field.bits,
                        text ? Text(static_cast<record::StringId>(field.bits)) : std::string()});
    }
    return logged;
  }

  record::Dictionary& dictionary_;
};

}  // namespace slowtoken::nvtx
