// SPDX-License-Identifier: MIT
// The server of the viewer, and the only file that includes Boost. A connection is a Visitor while it speaks HTTP: one
// request, one answer, closed. One that asks for the live run, and may, becomes a Client.
//
// Nothing that a client does or leaves undone makes the simulation wait or this program grow: of frames only the newest
// is kept and at most one is on its way to each client; requests beyond a few are not read before those are answered.
#include "apps/view/view_server.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <chrono>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "apps/view/view_door.h"
#include "cairn/core/errors.h"

namespace cairn::cli {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
namespace net = boost::asio;
namespace websocket = beast::websocket;
using tcp = net::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr auto kTick = std::chrono::milliseconds(100);
constexpr auto kFarewell = std::chrono::milliseconds(300);  // for the last words when the program ends
constexpr double kLinger = 1;                               // s that a visitor has to take its answer and hang up
constexpr std::int64_t kMostCredit = 1000;                  // frames

/// What went through a connection. Beast tells its rate policy; this one only listens.
class Meter {
 public:
  std::size_t received = 0;  ///< bytes since it was set to 0
  Clock::time_point progress = Clock::now();

 private:
  friend class beast::rate_policy_access;
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::size_t available_read_bytes() const noexcept { return kAll; }
  std::size_t available_write_bytes() const noexcept { return kAll; }
  void transfer_read_bytes(std::size_t n) noexcept { received += n; }
  void transfer_write_bytes(std::size_t) noexcept { progress = Clock::now(); }
  void on_timer() const noexcept {}
};
using Stream = beast::basic_stream<tcp, net::any_io_executor, Meter>;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

const char* phrase(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 426: return "Upgrade Required";
    case 431: return "Request Header Fields Too Large";
    default: return "Service Unavailable";
  }
}

/// One answer, after which the connection ends. The page may load nothing and connect only to this server.
std::string head_of(int status, std::size_t length) {
  std::string head =
      fmt::format("HTTP/1.1 {} {}\r\nContent-Length: {}\r\nConnection: close\r\n", status, phrase(status), length);
  if (status == 405) head += "Allow: GET\r\n";
  if (status == 426) head += "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";
  head += status == 200 ? "Content-Type: text/html; charset=utf-8\r\n" : "Content-Type: text/plain; charset=utf-8\r\n";
  return head +
         "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nX-Content-Type-Options: nosniff\r\n"
         "X-Frame-Options: DENY\r\nCross-Origin-Resource-Policy: same-origin\r\n"
         "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
         "img-src data: blob:; font-src data:; connect-src ws://127.0.0.1:* ws://localhost:*; base-uri 'none'; "
         "form-action 'none'; frame-ancestors 'none'\r\n\r\n";
}

/// The parts of a header that decide.
DoorRequest door_request(const http::request<http::empty_body>& r) {
  const auto once = [&](http::field name) -> std::optional<std::string> {
    return r.count(name) == 1 ? std::optional(std::string(r[name])) : std::nullopt;
  };
  DoorRequest door;
  door.is_get = r.method() == http::verb::get;
  door.http_1_1 = r.version() == 11;
  door.has_body = r.chunked() || (r.count(http::field::content_length) > 0 && r[http::field::content_length] != "0");
  door.target = std::string(r.target());
  door.host = once(http::field::host);
  door.upgrade = websocket::is_upgrade(r);
  door.origin_once = r.count(http::field::origin) <= 1;
  door.origin = once(http::field::origin);
  door.version = once(http::field::sec_websocket_version).value_or("");
  door.key = once(http::field::sec_websocket_key).value_or("");
  return door;
}

}  // namespace

/// All of it belongs to the thread that runs `io`.
struct ViewServer::Impl {
  class Visitor;
  class Client;

  explicit Impl(const ViewServerSettings& s);

  void accept();
  void admit(tcp::socket socket);
  void tick(const std::atomic<bool>& stop);
  void say_goodbye();
  void take(std::shared_ptr<const LiveFrame> frame);
  void tell(const std::string& note);
  void ask_for_frame();
  std::shared_ptr<const std::string> packed(bool contacts, bool groups);
  std::size_t connections() const { return visitors.size() + clients.size(); }

  ViewServerSettings settings;
  net::io_context io{1};
  tcp::acceptor acceptor{io};
  net::steady_timer ticker{io}, pause{io};
  LiveSession* session = nullptr;
  std::set<std::shared_ptr<Visitor>> visitors;
  std::set<std::shared_ptr<Client>> clients;
  std::shared_ptr<const LiveFrame> newest;
  std::shared_ptr<const std::string> packed_newest[4];  ///< by what they hold
  ViewCounts counts;
};

// ---------------------------------------------------------------------------------------------------- HTTP

class ViewServer::Impl::Visitor : public std::enable_shared_from_this<Visitor> {
 public:
  Visitor(Impl& server, tcp::socket socket) : server_(server), stream_(std::move(socket)) {
    parser_.header_limit(static_cast<std::uint32_t>(server_.settings.most_header));
  }

  void start() {
    http::async_read_header(stream_, buffer_, parser_,
                            [self = shared_from_this()](error_code error, std::size_t) { self->on_header(error); });
  }

  /// A whole request within the time, then progress, then an end.
  void check() {
    const double limit = state_ == State::ending ? kLinger : server_.settings.patience;
    const Clock::time_point since = state_ == State::answering ? stream_.rate_policy().progress : since_;
    if (seconds_since(since) > limit) leave();
  }

 private:
  enum class State { reading, answering, ending };

  void on_header(error_code error) {
    if (state_ != State::reading) return;
    if (error == http::error::header_limit) return refuse(431, "the header is too long");
    if (error == http::error::end_of_stream || (error && error.category() != make_error_code(http::error()).category()))
      return leave();
    if (error) return refuse(400, "this is no HTTP");
    const DoorVerdict verdict = judge(door_request(parser_.get()), server_.settings.token, server_.session != nullptr);
    if (verdict.status == 101) return upgrade();
    if (verdict.status != 200) return refuse(verdict.status, verdict.reason);
    answer(200, server_.settings.page);
  }

  void refuse(int status, const std::string& reason) {
    text_ = reason + "\n";
    answer(status, text_);
  }

  /// The text must live as long as this.
  void answer(int status, const std::string& text) {
    state_ = State::answering;
    stream_.rate_policy().progress = Clock::now();
    head_ = head_of(status, text.size());
    const std::array<net::const_buffer, 2> parts{net::buffer(head_), net::buffer(text)};
    net::async_write(stream_, parts, [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->leave();
      self->state_ = State::ending, self->since_ = Clock::now();
      self->stream_.socket().shutdown(tcp::socket::shutdown_send, error);
      self->drain();
    });
  }

  /// What still comes is thrown away: closing on it would tear the answer from the other side's hands.
  void drain() {
    stream_.async_read_some(net::buffer(scrap_), [self = shared_from_this()](error_code error, std::size_t) {
      if (error) return self->leave();
      self->drain();
    });
  }

  void upgrade();

  void leave() {
    error_code ignored;
    stream_.socket().close(ignored);
    server_.visitors.erase(shared_from_this());
  }

  Impl& server_;
  Stream stream_;
  beast::flat_buffer buffer_;
  http::request_parser<http::empty_body> parser_;
  State state_ = State::reading;
  Clock::time_point since_ = Clock::now();
  std::string head_, text_;
  std::array<char, 1024> scrap_{};
};

// ----------------------------------------------------------------------------------------------- WebSocket

class ViewServer::Impl::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(Impl& server, Stream stream) : server_(server), ws_(std::move(stream)) {
    ws_.next_layer().expires_never();  // the WebSocket has its own times
    websocket::stream_base::timeout times{};
    times.handshake_timeout = std::chrono::milliseconds(static_cast<int>(1000 * server.settings.patience));
    times.idle_timeout = std::chrono::seconds(60);
    times.keep_alive_pings = true;
    ws_.set_option(times);
    ws_.read_message_max(server.settings.most_message);
    ws_.auto_fragment(false);
  }

  void start(const http::request<http::empty_body>& request) {
    ws_.async_accept(request, [self = shared_from_this()](error_code error) {
      if (error) return self->drop();
      self->open_ = true;
      ++self->server_.counts.served;
      self->read();
      self->pump();
    });
  }

  void check() {
    if (writing_ && seconds_since(ws_.next_layer().rate_policy().progress) > server_.settings.patience) return drop();
    if (closing_ && seconds_since(closing_since_) > kLinger) return drop();
    check_fragments();
  }

  void close(websocket::close_code code) {
    if (!open_ || closing_) return;
    closing_ = true, closing_since_ = Clock::now();
    ws_.async_close(code, [self = shared_from_this()](error_code) { self->drop(); });
  }

  /// Sends what is next, if nothing is on its way: answers, a new list of bodies, the newest frame; where the run has
  /// gone on since that was taken, another one is asked for. `just_taken`: it may go on faster than it can be told.
  void pump(bool just_taken = false) {
    if (!open_ || writing_ || closing_) return;
    const LiveFrame* newest = server_.newest.get();
    if (!answers_.empty()) {
      const auto text = answers_.front();
      answers_.pop_front();
      queued_ -= text->size();
      return write(text, true);
    }
    if (newest != nullptr && generation_ != newest->scene->generation) {
      generation_ = newest->scene->generation, version_ = 0;
      return write({newest->scene, &newest->scene->bytes}, false);
    }
    const bool holds_all =
        newest != nullptr && (newest->has_contacts || !contacts_) && (newest->has_groups || !groups_);
    const bool fresh = just_taken || (newest != nullptr && newest->version == server_.session->version());
    if (holds_all && fresh && credit_ > 0 && version_ != newest->version) {
      --credit_;
      version_ = newest->version;
      ++server_.counts.frames;
      return write(server_.packed(contacts_, groups_), false);
    }
    if (credit_ > 0 || newest == nullptr) server_.ask_for_frame();
  }

  void answer(std::string text) {
    queued_ += text.size();
    server_.counts.most_queued = std::max(server_.counts.most_queued, queued_);
    answers_.push_back(std::make_shared<const std::string>(std::move(text)));
    pump();
  }
  /// Left out where the client does not read.
  void tell(const std::string& note) {
    if (open_ && answers_.size() < server_.settings.most_waiting) ++waiting_, answer(note);
  }

  bool wants() const { return open_ && !closing_ && credit_ > 0; }
  bool contacts() const { return contacts_; }
  bool groups() const { return groups_; }

 private:
  bool check_fragments() {
    const bool too_many = ws_.next_layer().rate_policy().received > server_.settings.most_fragments;
    if (too_many) close(websocket::close_code::too_big);
    return too_many;
  }

  void read() {
    reading_ = true;
    ws_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      self->reading_ = false;
      if (error) return self->drop();
      if (self->check_fragments()) return self->read();  // until the close has been answered
      self->ws_.next_layer().rate_policy().received = 0;
      const std::string text = beast::buffers_to_string(self->buffer_.data());
      self->buffer_.consume(self->buffer_.size());
      self->handle(text);
      self->read_on();
    });
  }
  void read_on() {
    if (!reading_ && !dropped_ && waiting_ < server_.settings.most_waiting) read();
  }

  /// Every request that is answered counts as waiting until its answer is sent.
  void handle(const std::string& text) {
    JsonValue id;
    try {
      if (!ws_.got_text()) fail_input("requests are text, not binary");
      LiveRequest request = parse_live_request(text, id);
      if (request.name == "credit") return grant(request);
      if (request.name == "subscribe") return subscribe(request);
      if (request.name == "drag") dragging_ = true;
      if (request.name == "release") dragging_ = false;
      ++waiting_;
      server_.session->submit(std::move(request), [weak = weak_from_this(), &io = server_.io](std::string answer) {
        net::post(io, [weak, answer = std::move(answer)]() mutable {
          if (const auto self = weak.lock()) self->answer(std::move(answer));
        });
      });
    } catch (const InputError& error) {
      ++waiting_;
      answer(live_error(id, error.what()));
    }
  }

  /// Without an id it is not answered: there is one for every frame.
  void grant(const LiveRequest& request) {
    const LiveArguments arguments(request, {"frames"});
    credit_ = std::min(kMostCredit, credit_ + arguments.whole("frames", 1, kMostCredit));
    if (request.id.kind == JsonKind::number) ++waiting_, answer(to_line(live_answer(request.id)));
    pump();
  }

  void subscribe(const LiveRequest& request) {
    const LiveArguments arguments(request, {"contacts", "groups"});
    const bool contacts = arguments.has("contacts") ? arguments.flag("contacts") : contacts_;
    const bool groups = arguments.has("groups") ? arguments.flag("groups") : groups_;
    if (contacts != contacts_ || groups != groups_) version_ = 0;  // the same state once more, with or without
    contacts_ = contacts, groups_ = groups;
    ++waiting_;
    answer(to_line(live_answer(request.id)));
  }

  void write(std::shared_ptr<const std::string> message, bool text) {
    writing_ = true;
    server_.counts.bytes += message->size();
    server_.counts.most_queued = std::max(server_.counts.most_queued, queued_ + message->size());
    ws_.next_layer().rate_policy().progress = Clock::now();
    ws_.text(text);
    const net::const_buffer bytes = net::buffer(*message);
    ws_.async_write(bytes, [self = shared_from_this(), message, text](error_code error, std::size_t) {
      self->writing_ = false;
      if (error) return self->drop();
      if (text) --self->waiting_, self->read_on();
      self->pump();
    });
  }

  void drop() {
    if (std::exchange(dropped_, true)) return;
    open_ = false;
    if (dragging_) server_.session->submit({{}, "release", json_object()}, [](const std::string&) {});
    error_code ignored;
    // With a reset, so that the system does not keep what nobody reads.
    if (writing_) ws_.next_layer().socket().set_option(net::socket_base::linger(true, 0), ignored);
    ws_.next_layer().socket().close(ignored);
    server_.clients.erase(shared_from_this());
  }

  Impl& server_;
  websocket::stream<Stream> ws_;
  beast::flat_buffer buffer_;
  std::deque<std::shared_ptr<const std::string>> answers_;
  std::size_t queued_ = 0;   ///< bytes of answers_
  std::size_t waiting_ = 0;  ///< requests whose answer is not sent
  std::int64_t credit_ = 0;
  bool contacts_ = false, groups_ = false;
  std::uint64_t generation_ = 0, version_ = 0;  ///< that were sent last
  bool open_ = false, reading_ = false, writing_ = false, closing_ = false, dropped_ = false, dragging_ = false;
  Clock::time_point closing_since_;
};

void ViewServer::Impl::Visitor::upgrade() {
  if (server_.clients.size() >= server_.settings.most_clients) return refuse(503, "there are too many viewers already");
  if (buffer_.size() > 0) return refuse(400, "wait for the answer before you send more");
  const auto client = std::make_shared<Client>(server_, std::move(stream_));
  server_.clients.insert(client);
  server_.visitors.erase(shared_from_this());
  client->start(parser_.get());
}

// -------------------------------------------------------------------------------------------------- server

ViewServer::Impl::Impl(const ViewServerSettings& s) : settings(s) {
  const tcp::endpoint here(net::ip::address_v4::loopback(), static_cast<std::uint16_t>(s.port));
  error_code error;
  acceptor.open(here.protocol(), error);
  if (!error) acceptor.set_option(net::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(here, error);
  if (!error) acceptor.listen(64, error);
  if (error)
    throw PortError(
        {ErrorKind::io, fmt::format("cannot listen on port {}: {}; choose another with --port (0: any that is free)",
                                    s.port, error.message())});
}

void ViewServer::Impl::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (!acceptor.is_open()) return;
    if (!error) {
      admit(std::move(socket));
      return accept();
    }
    // Out of descriptors, or the other side has gone: not at once again.
    pause.expires_after(kTick);
    pause.async_wait([this](error_code) { accept(); });
  });
}

void ViewServer::Impl::admit(tcp::socket socket) {
  error_code ignored;
  if (connections() >= settings.most_connections) {
    socket.non_blocking(true, ignored);
    socket.write_some(net::buffer(head_of(503, 0)), ignored);
    return;
  }
  socket.set_option(tcp::no_delay(true), ignored);
  if (settings.send_buffer > 0) socket.set_option(net::socket_base::send_buffer_size(settings.send_buffer), ignored);
  const auto visitor = std::make_shared<Visitor>(*this, std::move(socket));
  visitors.insert(visitor);
  visitor->start();
}

void ViewServer::Impl::tick(const std::atomic<bool>& stop) {
  if (stop) return say_goodbye();
  // They may leave while they are looked at.
  for (const auto& visitor : std::vector(visitors.begin(), visitors.end())) visitor->check();
  for (const auto& client : std::vector(clients.begin(), clients.end())) client->check();
  ticker.expires_after(kTick);
  ticker.async_wait([this, &stop](error_code) { tick(stop); });
}

void ViewServer::Impl::say_goodbye() {
  error_code ignored;
  acceptor.close(ignored);
  for (const auto& client : std::vector(clients.begin(), clients.end()))
    client->close(websocket::close_code::going_away);
  ticker.expires_after(clients.empty() ? Clock::duration{} : kFarewell);
  ticker.async_wait([this](error_code) { io.stop(); });
}

void ViewServer::Impl::take(std::shared_ptr<const LiveFrame> frame) {
  newest = std::move(frame);
  for (auto& bytes : packed_newest) bytes = nullptr;
  for (const auto& client : std::vector(clients.begin(), clients.end())) client->pump(true);
}

void ViewServer::Impl::tell(const std::string& note) {
  for (const auto& client : std::vector(clients.begin(), clients.end())) client->tell(note);
}

/// With what any of those who wait for one wants to see.
void ViewServer::Impl::ask_for_frame() {
  bool contacts = false, groups = false;
  for (const auto& client : clients)
    if (client->wants()) contacts = contacts || client->contacts(), groups = groups || client->groups();
  session->want_frame(contacts, groups);
}

std::shared_ptr<const std::string> ViewServer::Impl::packed(bool contacts, bool groups) {
  auto& bytes = packed_newest[(contacts ? 1 : 0) + (groups ? 2 : 0)];
  if (!bytes) bytes = std::make_shared<const std::string>(pack_live_frame(*newest, contacts, groups));
  return bytes;
}

ViewServer::ViewServer(const ViewServerSettings& settings) : impl_(std::make_unique<Impl>(settings)) {}
ViewServer::~ViewServer() = default;

int ViewServer::port() const { return impl_->acceptor.local_endpoint().port(); }

LiveListener ViewServer::listener() {
  Impl* impl = impl_.get();
  return {
      .frame =
          [impl](std::shared_ptr<const LiveFrame> frame) {
            net::post(impl->io, [impl, frame = std::move(frame)]() mutable { impl->take(std::move(frame)); });
          },
      .note = [impl](std::string note) { net::post(impl->io, [impl, note = std::move(note)] { impl->tell(note); }); }};
}

void ViewServer::run(LiveSession* session, const std::atomic<bool>& stop) {
  impl_->session = session;
  impl_->accept();
  impl_->tick(stop);
  impl_->io.run();
  impl_->clients.clear(), impl_->visitors.clear();
  impl_->session = nullptr;
}

ViewCounts ViewServer::counts() const {
  ViewCounts counts = impl_->counts;
  counts.connections = impl_->connections(), counts.clients = impl_->clients.size();
  return counts;
}

}  // namespace cairn::cli
