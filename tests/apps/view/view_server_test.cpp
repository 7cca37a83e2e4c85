// SPDX-License-Identifier: MIT
// The server of the viewer and its clients, the rude ones in particular.
#include "apps/view/view_server.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <filesystem>
#include <set>
#include <thread>

#include "cairn/core/errors.h"
#include "tests/apps/view/view_client.h"
#include "tests/live/live_scene.h"

namespace cairn::cli {
namespace {

const std::string kToken = "00112233445566778899aabbccddeeff";
const std::string kPage = "<!doctype html><title>page</title>";

/// A server in a thread, with a paused heap behind it.
class ViewServerTest : public ::testing::Test {
 protected:
  virtual ViewServerSettings settings() const {
    ViewServerSettings s;
    s.port = 0, s.token = kToken, s.page = kPage;
    return s;
  }
  void SetUp() override {
    server_ = std::make_unique<ViewServer>(settings());
    LiveSettings live;
    live.paused = true;
    session_ = std::make_unique<LiveSession>(live_heap(), live, server_->listener());
    port_ = server_->port();
    thread_ = std::thread([this] { server_->run(session_.get(), stop_); });
  }
  void TearDown() override {
    end();
    session_.reset();
  }
  ViewCounts end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return server_->counts();
  }

  std::string get(const std::string& target, const std::string& lines = "") const {
    return ViewClient::get(port_, fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", target, port_, lines));
  }
  ViewClient client(int receive_buffer = 0) const {
    ViewClient client(port_, receive_buffer);
    EXPECT_NE(client.upgrade(port_, kToken).find(" 101 "), std::string::npos);
    return client;
  }
  static int status(const std::string& answer) { return answer.size() < 12 ? 0 : std::stoi(answer.substr(9, 3)); }
  /// Comes again until it is let in: the server may not have noticed yet that others have left, and a hasty one hangs
  /// up on a client that a busy machine has kept from speaking.
  ViewClient patient_client() const {
    constexpr int kMostTries = 1200;
    for (int tries = 1;; ++tries) {
      ViewClient client(port_);
      const int answer = status(client.upgrade(port_, kToken));
      if (answer == 101) return client;
      if (tries == kMostTries) throw std::runtime_error(fmt::format("never let in, at last with {}", answer));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }
  /// That the run has not moved, and answers.
  void expect_alive() const {
    std::string answer;
    for (int tries = 0; tries < 20 && answer.empty(); ++tries) answer = patient_client().ask(77, R"("do": "pause")");
    EXPECT_NE(answer.find("\"ok\": true"), std::string::npos);
    EXPECT_NE(answer.find("\"step\": 0"), std::string::npos);
  }

  std::unique_ptr<ViewServer> server_;
  std::unique_ptr<LiveSession> session_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  int port_ = 0;
};

/// The sockets of this process that take connections. Each is asked itself: the tables of the system are read while
/// they change, and show a line twice or not at all.
std::vector<int> listening_sockets() {
  std::set<int> descriptors;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
    descriptors.insert(std::stoi(entry.path().filename().string()));
  std::vector<int> result;
  for (const int descriptor : descriptors) {
    int listens = 0;
    socklen_t size = sizeof listens;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0 && listens != 0)
      result.push_back(descriptor);
  }
  return result;
}

TEST_F(ViewServerTest, W1ListensOnlyForThisMachine) {
  const std::vector<int> listening = listening_sockets();
  ASSERT_EQ(listening.size(), 1u);
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ASSERT_EQ(getsockname(listening[0], reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_EQ(address.sin_family, AF_INET);
  EXPECT_EQ(ntohl(address.sin_addr.s_addr), INADDR_LOOPBACK);
  EXPECT_EQ(ntohs(address.sin_port), port_);
}

TEST_F(ViewServerTest, W2ThePageNeedsTheToken) {
  const std::string page = get("/?token=" + kToken);
  EXPECT_EQ(status(page), 200);
  EXPECT_NE(page.find(kPage), std::string::npos);
  for (const std::string& target : {std::string("/"), std::string("/?token="), "/?token=" + kToken.substr(0, 31),
                                    "/?token=1" + kToken.substr(1), std::string("/live")}) {
    const std::string answer = get(target);
    EXPECT_EQ(status(answer), 403) << target;
    EXPECT_EQ(answer.find(kToken), std::string::npos);
  }
  EXPECT_EQ(status(get("/favicon.ico?token=" + kToken)), 404);
}

TEST_F(ViewServerTest, W4W5OriginsAreChecked) {
  const auto connect = [&](const std::string& lines) {
    ViewClient c(port_);
    return status(c.upgrade(port_, kToken, lines));
  };
  for (const std::string& origin :
       {std::string("https://evil"), std::string("null"), std::string("http://127.0.0.1.evil"),
        fmt::format("http://127.0.0.1:{}", port_ + 1)})
    EXPECT_EQ(connect("Origin: " + origin + "\r\n"), 403) << origin;
  EXPECT_EQ(connect(fmt::format("Origin: http://127.0.0.1:{}\r\n", port_)), 101);
  EXPECT_EQ(connect(""), 101);
  ViewClient without_token(port_);
  EXPECT_EQ(status(without_token.upgrade(port_, "")), 403);
}

TEST_F(ViewServerTest, W6OthersCannotUseIt) {
  const std::string page = get("/?token=" + kToken, "Origin: https://evil\r\n");
  EXPECT_EQ(page.find("Access-Control"), std::string::npos);
  EXPECT_NE(page.find("Content-Security-Policy: default-src 'none'"), std::string::npos);
  EXPECT_NE(page.find("frame-ancestors 'none'"), std::string::npos);
  const std::string post = ViewClient::get(
      port_, fmt::format("POST /?token={} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\n\r\na=b", kToken));
  EXPECT_EQ(status(post), 405);
  expect_alive();
}

TEST_F(ViewServerTest, W8LongHeadersAreRefused) {
  EXPECT_EQ(status(get("/?token=" + kToken, "X: " + std::string(20'000, 'x') + "\r\n")), 431);
  std::string many;
  for (int k = 0; k < 10'000; ++k) many += fmt::format("X{}: 1\r\n", k);
  EXPECT_EQ(status(get("/?token=" + kToken, many)), 431);
  ViewClient endless(port_);
  endless.send("GET / HTTP/1.1\r\nX: " + std::string(100'000, 'y'));
  EXPECT_EQ(status(endless.read_all()), 431);
  for (const char* garbage : {"\x16\x03\x01\x02", "HELO\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
                              "GET / HTTP/1.1\nHost: 127.0.0.1\n\n", "GET / HTTP/1.1\r\nBad Name: 1\r\n\r\n"}) {
    ViewClient rude(port_);
    rude.send(garbage);
    rude.send("\r\n\r\n");
    EXPECT_EQ(status(rude.read_all()), 400) << garbage;
  }
  expect_alive();
}

TEST_F(ViewServerTest, W10AmbiguousLengthsAreRefused) {
  for (const char* lines :
       {"Content-Length: -1\r\n", "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3, 4\r\n",
        "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
        "Transfer-Encoding: chunked\r\n", "Content-Length: 5\r\n", "Content-Length: 99999999999999999999999\r\n"})
    EXPECT_EQ(status(get("/?token=" + kToken, lines)), 400) << lines;
  // A second request in the same connection is never looked at.
  const std::string one = fmt::format("GET /?token={} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", kToken);
  const std::string answer = ViewClient::get(port_, one + one);
  EXPECT_EQ(answer.find("HTTP/1.1 200"), answer.rfind("HTTP/1.1"));
  expect_alive();
}

TEST_F(ViewServerTest, W12UpgradesMustBeWellFormed) {
  const auto upgrade = [&](const std::string& lines) {
    return status(get("/live?token=" + kToken, "Upgrade: websocket\r\nConnection: Upgrade\r\n" + lines));
  };
  EXPECT_EQ(upgrade("Sec-WebSocket-Version: 13\r\n"), 400);
  EXPECT_EQ(upgrade("Sec-WebSocket-Version: 12\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"), 426);
  EXPECT_EQ(upgrade("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: A*AAAAAAAAAAAAAAAAAAAA==\r\n"), 400);
  EXPECT_EQ(status(get("/live?token=" + kToken)), 426);
}

TEST_F(ViewServerTest, W13W14BrokenFramesCloseWith1002) {
  const std::string request = R"({"id": 1, "do": "play"})";
  for (const std::string& bytes : {ViewClient::frame(0x81, request, false),         // not masked
                                   ViewClient::frame(0xc1, request),                // reserved bit
                                   ViewClient::frame(0x83, request),                // unknown opcodes
                                   ViewClient::frame(0x8b, ""),                     //
                                   ViewClient::frame(0x09, "x"),                    // fragmented ping
                                   ViewClient::frame(0x89, std::string(126, 'x')),  // long ping
                                   ViewClient::frame(0x80, "x"),                    // nothing to continue
                                   ViewClient::frame(0x01, "{") + ViewClient::frame(0x81, "}")}) {
    ViewClient rude = client();
    rude.send(bytes);
    ViewClient::Message message;
    do message = rude.receive();
    while (message.opcode == 1 || message.opcode == 2);
    EXPECT_EQ(message.code(), 1002) << fmt::format("{:02x} {:02x}", bytes[0] & 255, bytes[1] & 255);
  }
  expect_alive();
}

TEST_F(ViewServerTest, W16LongMessagesAndManyFragmentsCloseWith1009) {
  const auto close_code = [&](const std::string& bytes) {
    ViewClient rude = client();
    rude.send(bytes);
    ViewClient::Message message;
    do message = rude.receive();
    while (message.opcode == 1 || message.opcode == 2);
    return message.code();
  };
  EXPECT_EQ(close_code(ViewClient::frame(0x81, std::string(100'000, ' '))), 1009);
  std::string fragments = ViewClient::frame(0x01, "{");
  const std::string empty = ViewClient::frame(0x00, "");
  for (int k = 0; k < 1'000'000; ++k) fragments += empty;
  EXPECT_EQ(close_code(fragments), 1009);
  EXPECT_EQ(close_code(fragments + ViewClient::frame(0x80, "}")), 1009);
  expect_alive();
}

TEST_F(ViewServerTest, W17InvalidTextClosesWith1007) {
  ViewClient rude = client();
  rude.send(ViewClient::frame(0x81, "{\"do\": \"\xff\xfe\"}"));
  ViewClient::Message message;
  do message = rude.receive();
  while (message.opcode == 1 || message.opcode == 2);
  EXPECT_EQ(message.code(), 1007);
}

TEST_F(ViewServerTest, W18BadRequestsAreAnswered) {
  ViewClient c = client();
  for (const char* text :
       {"", "{", "nonsense", "[1, 2]", "{\"do\": 1}", "{\"id\": 1, \"id\": 1}", "{\"do\": \"play\", \"x\": NaN}",
        "{\"do\": \"credit\", \"frames\": 1e999}", "{\"do\": \"credit\", \"frames\": -1}", "{\"do\": \"credit\"}",
        "{\"do\": \"subscribe\", \"contacts\": 1}", "{\"do\": \"step\", \"count\": 1e300}", "{\"do\": \"plya\"}"}) {
    c.send_text(text);
    EXPECT_NE(c.receive_starting("{").data.find("\"error\": "), std::string::npos) << text;
  }
  c.send(ViewClient::frame(0x82, "{\"id\": 1, \"do\": \"play\"}"));
  EXPECT_NE(c.receive_starting("{").data.find("text, not binary"), std::string::npos);
  c.send_text(std::string(60'000, '['));
  EXPECT_NE(c.receive_starting("{").data.find("\"error\": "), std::string::npos);
  expect_alive();
}

TEST_F(ViewServerTest, AViewerSeesTheSceneThenTheFramesItAskedFor) {
  ViewClient c = client();
  EXPECT_EQ(c.receive().data.substr(0, 4), "SCEN");
  EXPECT_EQ(c.receive(0.1).opcode, -1);  // no credit, no frame
  c.send_text(R"({"do": "credit", "frames": 2})");
  EXPECT_EQ(c.receive().data.substr(0, 4), "FRAM");
  EXPECT_EQ(c.receive(0.1).opcode, -1);  // the same state is not told twice
  c.send_text(R"({"do": "step", "count": 5})");
  const ViewClient::Message frame = c.receive_starting("FRAM");
  ASSERT_GT(frame.data.size(), 28u);
  EXPECT_LE(frame.data[20], 5);
  // The frame may be of an earlier step than the fifth, and the next request would take the place of those to come.
  while (c.ask(3, R"("do": "speed", "factor": 1)").find("\"step\": 5") == std::string::npos) {
  }
  EXPECT_NE(c.ask(2, R"("do": "step", "count": 5)").find("\"step\": 10"), std::string::npos);
  EXPECT_EQ(c.receive(0.1).opcode, -1);  // both frames are used up
  c.send_text(R"({"do": "credit", "frames": 1})");
  const ViewClient::Message last = c.receive_starting("FRAM");
  ASSERT_GT(last.data.size(), 28u);
  EXPECT_EQ(last.data[20], 10);
}

TEST_F(ViewServerTest, CreditIsNeverExceeded) {
  ViewClient c = client();
  c.ask(1, R"("do": "speed", "factor": 1000)");
  c.ask(2, R"("do": "play")");
  c.send_text(R"({"do": "credit", "frames": 7})");
  for (int frame = 0; frame < 7; ++frame) ASSERT_EQ(c.receive_starting("FRAM").opcode, 2) << frame;
  EXPECT_EQ(c.receive_starting("FRAM", 1).opcode, -1);
}

TEST_F(ViewServerTest, SubscriptionsChangeWhatFramesHold) {
  ViewClient c = client();
  c.ask(1, R"("do": "step", "count": 40)");
  c.send_text(R"({"do": "credit", "frames": 10})");
  const std::size_t bare = c.receive_starting("FRAM").data.size();
  c.send_text(R"({"id": 2, "do": "subscribe", "groups": true})");
  EXPECT_EQ(c.receive_starting("FRAM").data.size(), bare + 6 * 16);
  c.send_text(R"({"id": 3, "do": "subscribe", "contacts": true, "groups": false})");
  const std::size_t contacts = c.receive_starting("FRAM").data.size();
  EXPECT_GT(contacts, bare);
  EXPECT_EQ((contacts - bare) % 51, 0u);
}

/// One viewer at a time: who is let in knows that the one before is gone for the server too.
class SingleViewServerTest : public ViewServerTest {
 protected:
  ViewServerSettings settings() const override {
    ViewServerSettings s = ViewServerTest::settings();
    s.most_clients = 1;
    return s;
  }
};

TEST_F(SingleViewServerTest, ADragEndsWithItsClient) {
  {
    ViewClient c = client();
    EXPECT_NE(c.ask(1, R"("do": "drag", "body": 5, "point": [0, 0, 1], "target": [0, 0, 50])").find("ok"),
              std::string::npos);
    c.reset();
  }
  // Let go of, the box is not lifted.
  ViewClient c = patient_client();
  c.ask(3, R"("do": "step", "count": 120)");
  const std::string pick = c.ask(4, R"("do": "pick", "origin": [0, 0, 100], "direction": [0, 0, -1])");
  const std::size_t at = pick.find("\"point\": [");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(std::stod(pick.substr(pick.find(',', pick.find(',', at) + 1) + 1)), 5);
}

TEST_F(ViewServerTest, W20TooManyViewersAreSentAway) {
  std::vector<ViewClient> clients;
  for (int k = 0; k < 16; ++k) clients.push_back(client());
  ViewClient late(port_);
  EXPECT_EQ(status(late.upgrade(port_, kToken)), 503);
  clients.pop_back();
  EXPECT_NO_THROW(patient_client());  // as soon as the server has noticed
}

TEST_F(ViewServerTest, W20ConnectionsAreBounded) {
  std::vector<ViewClient> idle;
  int sent_away = 0;
  for (int k = 0; k < 300; ++k) {
    idle.emplace_back(port_);
    if (k >= 64) sent_away += idle.back().closed_within(60);
  }
  EXPECT_EQ(sent_away, 300 - 64);
  idle.clear();
  expect_alive();
}

TEST_F(ViewServerTest, W22ClientsThatVanishAreForgotten) {
  for (int k = 0; k < 40; ++k) {
    ViewClient c = patient_client();
    c.send_text(R"({"do": "credit", "frames": 100})");
    c.send(ViewClient::frame(0x81, R"({"id": 1, "do": "history"})").substr(0, 9));  // in the middle of a frame
    if (k % 2 == 0) c.reset();
  }
  expect_alive();
}

TEST_F(ViewServerTest, ClosingIsAnswered) {
  ViewClient c = client();
  c.send(ViewClient::frame(0x88, "\x03\xe8"));
  ViewClient::Message message;
  do message = c.receive();
  while (message.opcode == 1 || message.opcode == 2);
  EXPECT_EQ(message.code(), 1000);
}

TEST_F(ViewServerTest, ItSaysGoodbyeWhenItEnds) {
  ViewClient c = client();
  c.receive_starting("SCEN");
  stop_ = true;
  EXPECT_EQ(c.receive().code(), 1001);
  EXPECT_EQ(end().served, 1u);
}

TEST_F(ViewServerTest, W24APortThatIsTakenIsNamed) {
  ViewServerSettings same = settings();
  same.port = port_;
  try {
    ViewServer second(same);
    FAIL() << "two servers on one port";
  } catch (const PortError& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(port_)), std::string::npos);
  }
}

/// One that loses patience sooner, and whose clients' system keeps little for them.
class HastyViewServerTest : public ViewServerTest {
 protected:
  ViewServerSettings settings() const override {
    ViewServerSettings s = ViewServerTest::settings();
    s.patience = 2;
    s.send_buffer = 1 << 15;
    return s;
  }
};

TEST_F(HastyViewServerTest, W9WhoNeverFinishesARequestIsHungUpOn) {
  ViewClient slow(port_);
  const std::string request = fmt::format("GET /?token={} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", kToken);
  bool refused = false;
  for (std::size_t k = 0; k < request.size() - 1 && !refused; ++k) {
    refused = !slow.send(request.substr(k, 1));
    refused = refused || slow.closed_within(0.1);
  }
  EXPECT_TRUE(refused);
  ViewClient silent(port_);
  EXPECT_TRUE(silent.closed_within(60));
  expect_alive();
}

TEST_F(HastyViewServerTest, W21WhoDoesNotReadCostsNothing) {
  ViewClient asleep = client(1 << 15);
  asleep.send_text(R"({"id": 1, "do": "subscribe", "contacts": true})");
  asleep.send_text(R"({"do": "credit", "frames": 1000})");
  ViewClient awake = client();
  awake.ask(1, R"("do": "speed", "factor": 1000)");
  awake.ask(2, R"("do": "play")");
  // Requests whose answers nobody takes: a few are read, then no more.
  const std::string history = ViewClient::frame(0x81, R"({"id": 3, "do": "settings"})");
  for (int k = 0; k < 50; ++k) asleep.send(history);
  std::size_t largest = 0;
  for (int k = 0; k < 200; ++k) {
    awake.send_text(R"({"do": "credit", "frames": 1})");
    const ViewClient::Message frame = awake.receive_starting("FRAM");
    ASSERT_EQ(frame.opcode, 2);
    largest = std::max(largest, frame.data.size());
  }
  EXPECT_TRUE(asleep.reset_within(60));
  EXPECT_NE(awake.ask(4, R"("do": "pause")").find("ok"), std::string::npos);
  // Never more than one frame with all its contacts, and the answers.
  EXPECT_LT(end().most_queued, 20 * largest);
}

}  // namespace
}  // namespace cairn::cli
