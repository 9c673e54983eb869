// Surroundings: under which conditions each process recorded, by name. Few events. Single threaded, offline.
#pragma once

#include <map>
#include <set>
#include <string>

#include "record/conditions.h"
#include "record/dictionary.h"

namespace slowtoken::analysis {

class Surroundings {
 public:
  explicit Surroundings(const record::Dictionary& dictionary) : dictionary_(&dictionary) {}

  void Add(const record::Condition& condition);

  // name -> the values that processes have now, safe; one where all agree.
  std::map<std::string, std::set<std::string>> Values() const;

 private:
  const record::Dictionary* dictionary_;
  std::map<std::string, std::map<record::ProcessIndex, std::string>> by_name_;  // the newest of each process
};

}  // namespace slowtoken::analysis
