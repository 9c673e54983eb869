// The demo's settings: model shape, budgets, thread counts. Read once in main() from `key = value` lines and then
// constant; every process of a split demo reads the same file. The defaults suit a machine with two cores: decode
// iterations of about five milliseconds, and threads that sleep most of the time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace slowtoken::demo {

struct Config {
  // Model shape. Each layer launches ten kernels (twelve with all_reduce).
  int64_t layers = 6;
  int64_t hidden = 256;    // width of an activation row; arithmetic is real but small
  int64_t all_reduce = 0;  // 1: two all-reduce kernels a layer, as on a tensor-parallel rank
  // GPU time of one iteration, spread over its kernels by weight.
  int64_t decode_us = 5000;           // a decode of one sequence
  int64_t decode_us_per_seq = 25;     // each further decoding sequence
  int64_t prefill_us_per_token = 35;  // each prompt token
  int64_t sample_us = 60;             // the sampling kernel
  // CPU work of the engine's own code before each kernel that it launches by itself, in hashing rounds (about 290 a
  // microsecond): what Python and its framework take on the way to a launch.
  int64_t launch_rounds = 0;
  // Scheduler.
  int64_t max_seqs = 32;           // running requests
  int64_t max_batch_tokens = 512;  // tokens of one iteration; longer prompts are cut into chunks
  int64_t block_tokens = 16;       // tokens of one KV cache block
  int64_t kv_blocks = 4096;        // all KV cache blocks; when they run out, requests are preempted
  std::vector<int64_t> graph_buckets = {1, 2, 4, 8, 16};  // decode batch sizes with a CUDA graph; others run eagerly
  int64_t lifted_batch_tokens = 0;  // no setting: a scenario lifts the budget of one iteration up to here
  // Speculative decoding: 0 = off, else draft tokens a step; accept_permille of them are right.
  int64_t speculative_tokens = 0;
  int64_t accept_permille = 600;
  // Answers: an answer ends by a stop token with this probability at each token, else at max_tokens.
  int64_t stop_permille = 2;
  // Frontend.
  int64_t tokenizer_threads = 1;
  int64_t tokenize_rounds = 400;  // hashing rounds a prompt token costs; 400 is about 1.4 microseconds
  int64_t http_threads = 128;     // open connections served at once; each is its own sender
  int64_t drain_ms = 5000;        // at SIGTERM: how long running requests may take to finish
};

// Applies the lines of `text` (`key = value`, `#` starts a comment) to `config`. `name` stands before the line number
// in errors.
absl::Status ApplyConfigText(absl::string_view text, absl::string_view name, Config& config);

// Reads the file and applies it. NotFound: it cannot be read; InvalidArgument: it cannot be understood.
absl::Status ApplyConfigFile(const std::string& path, Config& config);

// "key = value" lines of all settings, for --help.
std::string DescribeConfig(const Config& config);

}  // namespace slowtoken::demo
