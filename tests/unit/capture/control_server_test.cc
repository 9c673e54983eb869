// The server with clients as they come: right, slow, silent, half closed, a hundred at once, of another user.
#include "control_fixture.h"

namespace slowtoken::capture {
namespace {

TEST_F(ControlServerTest, TheSocketIsPrivate) {
  struct stat info {};
  ASSERT_EQ(stat(path().c_str(), &info), 0);
  EXPECT_TRUE(S_ISSOCK(info.st_mode));
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat(directory_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(ControlServerTest, ARequestIsAnsweredInOneLook) {
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "hello"));
  EXPECT_EQ(Poll(), 1);
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed), Answer(ControlCode::kDone, "hello"));
  EXPECT_TRUE(closed);
  EXPECT_EQ(Poll(), 0);
  close(fd);
}

TEST_F(ControlServerTest, ASlowClientIsWaitedFor) {
  const int fd = Connect();
  for (const char byte : Request(ControlVerb::kMark, "slow")) {
    Send(fd, std::string(1, byte));
    Poll();
    now_ += 50'000'000;
  }
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed), Answer(ControlCode::kDone, "slow"));
  close(fd);
}

TEST_F(ControlServerTest, ASilentClientIsLeftAfterItsTime) {
  const int fd = Connect();
  Poll();
  now_ += ControlServer::kPatience;
  Poll();
  EXPECT_FALSE(Closed(fd));
  now_ += 1;
  Poll();
  EXPECT_TRUE(Closed(fd));
  close(fd);
}

TEST_F(ControlServerTest, AHalfClosedClientGetsItsAnswer) {
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "last words"));
  shutdown(fd, SHUT_WR);
  Poll();
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed), Answer(ControlCode::kDone, "last words"));
  const int early = Connect();
  Send(early, Request(ControlVerb::kMark, "cut").substr(0, 6));
  shutdown(early, SHUT_WR);
  Poll();
  Poll();
  EXPECT_TRUE(Closed(early));
  EXPECT_EQ(echo_.asked, 1);
  close(fd);
  close(early);
}

TEST_F(ControlServerTest, NonsenseIsToldSoAndClosed) {
  const int fd = Connect();
  Send(fd, "GET / HTTP/1.1\r\n\r\n");
  Poll();
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed),
            Answer(ControlCode::kMalformed, "the request is not one of this version of slowtoken"));
  EXPECT_TRUE(closed);
  EXPECT_EQ(echo_.asked, 0);
  close(fd);
}

TEST_F(ControlServerTest, AHundredAtOnceAreAllAnsweredWithFourConnections) {
  std::vector<int> clients;
  size_t answered = 0;
  for (int i = 0; i < 100; ++i) {
    int fd = Connect();
    for (int tries = 0; fd < 0 && tries < 100; ++tries) {
      Poll();
      fd = Connect();
    }
    if (fd < 0) continue;
    Send(fd, Request(ControlVerb::kMark, "x"));
    clients.push_back(fd);
    if (i % 10 == 9) Poll();
  }
  for (int i = 0; i < 20; ++i) Poll();
  for (const int fd : clients) {
    bool closed = false;
    answered += Received(fd, &closed) == Answer(ControlCode::kDone, "x") ? 1 : 0;
    close(fd);
  }
  EXPECT_EQ(clients.size(), 100u);
  EXPECT_EQ(answered, 100u);
}

TEST_F(ControlServerTest, SilentClientsHoldOthersUpForTheirTimeOnly) {
  std::vector<int> silent;
  for (size_t i = 0; i < ControlServer::kConnections; ++i) silent.push_back(Connect());
  Poll();
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "patient"));
  Poll();
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed), "");
  now_ += ControlServer::kPatience + 1;
  Poll();
  Poll();
  EXPECT_EQ(Received(fd, &closed), Answer(ControlCode::kDone, "patient"));
  for (const int one : silent) close(one);
  close(fd);
}

TEST_F(ControlServerTest, AnotherUserIsNotEvenRead) {
  g_peer = geteuid() + 1000;
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "let me in"));
  Poll();
  EXPECT_TRUE(Closed(fd));
  EXPECT_EQ(echo_.asked, 0);
  g_peer = 0;
  const int root = Connect();
  Send(root, Request(ControlVerb::kMark, "root"));
  Poll();
  EXPECT_EQ(echo_.asked, 1);
  close(fd);
  close(root);
}

TEST_F(ControlServerTest, TheKernelSaysWhoIsThere) {
  int pair[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  uid_t user = 12345;
  EXPECT_TRUE(ControlSocket::PeerFromKernel(pair[0], &user));
  EXPECT_EQ(user, geteuid());
  EXPECT_FALSE(ControlSocket::PeerFromKernel(STDIN_FILENO, &user));
  close(pair[0]);
  close(pair[1]);
}

TEST_F(ControlServerTest, ALongAnswerGoesOutAsItIsTaken) {
  echo_.payload_bytes = 400 << 10;  // more than a socket takes at once
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kStatus));
  std::string all;
  bool closed = false;
  for (int i = 0; i < 100 && !closed; ++i) {
    Poll();
    all += Received(fd, &closed);
  }
  EXPECT_TRUE(closed);
  EXPECT_EQ(all.size(), Answer(ControlCode::kDone, "").size() + echo_.payload_bytes);
  close(fd);
}

TEST_F(ControlServerTest, WhoDoesNotTakeItsAnswerIsLeftAndTheNextIsServed) {
  echo_.payload_bytes = 400 << 10;
  const int greedy = Connect();
  Send(greedy, Request(ControlVerb::kStatus));
  Poll();
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kMark, "next"));
  Poll();
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed), "") << "one answer is in memory at a time";
  now_ += ControlServer::kPatience + 1;
  Poll();
  const int again = Connect();
  Send(again, Request(ControlVerb::kMark, "again"));
  Poll();
  Poll();
  EXPECT_EQ(Received(again, &closed), Answer(ControlCode::kDone, "again"));
  for (const int one : {greedy, fd, again}) close(one);
}

TEST_F(ControlServerTest, AnAnswerThatDoesNotFitSaysSo) {
  echo_.payload_bytes = ControlReply::kBytes;
  const int fd = Connect();
  Send(fd, Request(ControlVerb::kStatus));
  Poll();
  bool closed = false;
  EXPECT_EQ(Received(fd, &closed),
            Answer(ControlCode::kRefused, "the answer does not fit into the memory set apart for it"));
  close(fd);
}

}  // namespace
}  // namespace slowtoken::capture
