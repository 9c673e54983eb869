// The C++ face of llmserve.h, included at its end: types that close the range they open. Called by the engine on any
// thread; a Scope closes on the thread that opened it, a Span on whatever thread ends it. Costs what the C calls cost.
//
//   namespace sl = slowtoken::llmserve;
//   sl::Span life{sl::Request{{"cmpl-7", 812, 64}}};
//   sl::Scope iteration{sl::Iteration{info}};
//   sl::Scope forward{sl::Part{LLMSERVE_FORWARD}};
#ifndef SLOWTOKEN_LLMSERVE_RAII_H
#define SLOWTOKEN_LLMSERVE_RAII_H

#include <utility>

namespace slowtoken {
namespace llmserve {

// What a Scope pushes or a Span begins: small descriptions, used at once (they hold pointers to their arguments).
struct Request {
  llmserve_req info;
  explicit Request(const llmserve_req& about) : info(about) {}
  llmserve_range Begin() const { return llmserve_req_begin(&info); }
};

// req.tokenize, req.detok, req.send. `n`: the last token carried, from 1; `n_new`: how many.
struct Step {
  llmserve_step step;
  const char* req;
  int64_t n = -1, n_new = -1;
  explicit Step(llmserve_step what, const char* request, int64_t last = -1, int64_t count = -1)
      : step(what), req(request), n(last), n_new(count) {}
  void Push() const { llmserve_step_push(step, req, n, n_new); }
  llmserve_range Begin() const { return llmserve_step_begin(step, req, n, n_new); }
};

struct Iteration {
  llmserve_iter info;
  explicit Iteration(const llmserve_iter& about) : info(about) {}
  void Push() const { llmserve_iter_push(&info); }
};

// A part of an iteration; `key` where it does not lie inside the iteration's range (see llmserve_part_push).
struct Part {
  llmserve_part part;
  const llmserve_iter* key;
  explicit Part(llmserve_part what, const llmserve_iter* of = nullptr) : part(what), key(of) {}
  void Push() const { llmserve_part_push(part, key); }
};

struct Kv {
  llmserve_kv_op op;
  llmserve_kv info;
  Kv(llmserve_kv_op what, const llmserve_kv& about) : op(what), info(about) {}
  void Push() const { llmserve_kv_push(op, &info); }
  llmserve_range Begin() const { return llmserve_kv_begin(op, &info); }
};

struct Work {
  llmserve_work work;
  const char* name;
  Work(llmserve_work what, const char* which) : work(what), name(which) {}
  void Push() const { llmserve_work_push(work, name); }
};

// A push/pop range: from construction to destruction, on one thread.
class Scope {
 public:
  template <typename Description>
  explicit Scope(const Description& description) {
    description.Push();
  }
  ~Scope() { llmserve_pop(); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
};

// A start/end range: from construction to End() or destruction, on any thread. Movable.
class Span {
 public:
  Span() = default;
  template <typename Description>
  explicit Span(const Description& description) : range_(description.Begin()), open_(true) {}
  Span(Span&& other) noexcept : range_(other.range_), open_(std::exchange(other.open_, false)) {}
  Span& operator=(Span&& other) noexcept {
    End();
    range_ = other.range_;
    open_ = std::exchange(other.open_, false);
    return *this;
  }
  ~Span() { End(); }

  void End() {
    if (std::exchange(open_, false)) llmserve_end(range_);
  }

 private:
  llmserve_range range_ = 0;
  bool open_ = false;
};

// One `batch` event; sent by the destructor. Rows of one operation after another (see llmserve_batch).
class Batch {
 public:
  Batch(const llmserve_iter& key, int64_t seq) { llmserve_batch_start(&batch_, &key, seq); }
  ~Batch() { llmserve_batch_emit(&batch_); }
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  void Row(llmserve_op op, const char* req, uint64_t n_tok, llmserve_kind kind) {
    llmserve_batch_row(&batch_, op, req, n_tok, kind);
  }
  void None() { llmserve_batch_none(&batch_); }

 private:
  llmserve_batch batch_;
};

}  // namespace llmserve
}  // namespace slowtoken

#endif  // SLOWTOKEN_LLMSERVE_RAII_H
