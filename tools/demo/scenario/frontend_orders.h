// Does in the frontend what a scenario orders: sends requests of its own, holds the lock that every sender needs, is a
// client that stops reading, gives the tokenizers a long text. Each order is a thread's; BeforeSend and Tokenized come
// from the frontend's threads and cost a lock. Writes the truth's lines of transport_backpressure and tokenizer.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/config.h"
#include "core/truth.h"
#include "server/frontend.h"

namespace slowtoken::demo {

class FrontendOrders : public FrontendWatch {
 public:
  // Both must outlive it.
  FrontendOrders(const Config& config, TruthFile& truth) : config_(config), truth_(truth) {}
  ~FrontendOrders() override { Stop(); }

  // From now on orders are carried out. Stop before the frontend ends.
  void Start(Frontend& frontend);

  // Waits for those under way; further ones are ignored.
  void Stop();

  void Carry(const FrontendOrder& order) override;
  void BeforeSend(const std::string& id) override;
  void Tokenized(const std::string& id, TimeNs arrival, const Interval& work) override;

 private:
  struct Tokenization {
    TimeNs arrival;
    Interval work;
  };

  void Do(const FrontendOrder& order, Frontend& frontend);
  void HoldSenders(const FrontendOrder& order);
  void BeSlowClient(const FrontendOrder& order, Frontend& frontend);
  void GiveLongText(const FrontendOrder& order, Frontend& frontend);
  void SendText(Frontend& frontend, const std::string& id, int64_t tokens);
  int64_t TokensFor(TimeNs length) const;

  const Config& config_;
  TruthFile& truth_;
  std::mutex send_mutex_;  // what every sender needs

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  Frontend* frontend_ = nullptr;  // while orders are carried out
  std::vector<std::thread> threads_;
  std::map<std::string, Interval> held_;  // senders that waited for the lock; the first time of each
  bool watching_senders_ = false;
  std::map<std::string, Tokenization> tokenized_;
  bool watching_tokenizers_ = false;
};

}  // namespace slowtoken::demo
