// Table: aligned columns of text for a terminal. Widths are counted in code points (analysis::Columns). Pure data.
#pragma once

#include <string>
#include <vector>

namespace slowtoken::report {

class Table {
 public:
  enum class Align { kLeft, kRight };
  struct Column {
    std::string header;
    Align align = Align::kRight;
    size_t most = 1000;  // wider cells are cut with "…"
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as columns.
  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }

  // Every line indented by two spaces, two spaces between columns, no spaces at the end of a line.
  std::string Text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace slowtoken::report
