// SPDX-License-Identifier: BSD-3-Clause
#include "server.hpp"

#include "listener.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <new>

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace softfeb::sink {

namespace {

using nlohmann::json;

constexpr std::size_t kMaxConnections = 16;
constexpr std::chrono::seconds kPatience{30};  ///< timeout for the first line of a connection
constexpr std::chrono::seconds kFarewell{10};  ///< time in which clients must accept the last lines

void say(const std::string& text) { std::fprintf(stderr, "rdma-sink: %s\n", text.c_str()); }

json error_line(const std::string& text) { return {{"error", text}}; }

/// Replaces the file atomically, so that readers never see an incomplete report. Writes to devices and FIFOs
/// directly, because renaming would replace them by a file.
void write_report(const std::string& path, const json& report) {
  std::error_code error;
  const bool direct = std::filesystem::is_other(std::filesystem::status(path, error));
  const std::string part = direct ? path : path + ".part";
  std::ofstream file(part);
  file << report.dump(1) << '\n';
  file.close();
  error.clear();
  if (file && !direct) std::filesystem::rename(part, path, error);
  if (!file || error) say("--json " + path + ": cannot be written");
}

}  // namespace

Server::Server(const Device& device, const Options& options, eventfile::EventFile* event_file)
    : device_(device), options_(options), event_file_(event_file) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  const int async = device_.context()->async_fd;
  fcntl(async, F_SETFL, fcntl(async, F_GETFL) | O_NONBLOCK);
  listener_ = listen_on(options.listen, options.tcp_port);
  say("listening on " + local_name(listener_) + ", device " + device.name());
}

Server::~Server() {
  close(listener_);
  close(signals_);
}

bool Server::run() {
  while (!(options_.once && sessions_ != 0)) {
    wait();
    if (take_signal()) break;
    // Rearm first, so that a completion after the poll raises an event.
    if (receiver_ && ready_[3].revents != 0) receiver_->rearm();
    if (receiver_) receiver_->poll();
    take_device_events();
    if (ready_[1].revents != 0) accept_client();
    for (auto c = connections_.begin(); c != connections_.end();) {
      Connection& connection = *c++;
      serve(connection);
    }
    drop_silent();
  }
  abandon();
  const auto end = std::chrono::steady_clock::now() + kFarewell;
  for (Connection& c : connections_) c.flush_until(end);
  return held_;
}

/// Waits for events. The order of `ready_` is: signals, listener, device events, completions, connections.
void Server::wait() {
  ready_.clear();
  for (const int fd :
       {signals_, listener_, device_.context()->async_fd, receiver_ ? receiver_->completion_fd() : -1})
    ready_.push_back({fd, POLLIN, 0});
  for (const Connection& c : connections_)
    ready_.push_back({c.fd(), static_cast<short>(c.unsent() ? POLLOUT : POLLIN), 0});
  ::poll(ready_.data(), ready_.size(), receiver_ && options_.poll ? 0 : 1000);
}

bool Server::take_signal() {
  signalfd_siginfo info;
  return read(signals_, &info, sizeof info) == sizeof info;
}

void Server::take_device_events() {
  ibv_async_event event{};
  while (ready_[2].revents != 0 && ibv_get_async_event(device_.context(), &event) == 0) {
    const ibv_event_type type = event.event_type;
    ibv_ack_async_event(&event);
    const std::string name = ibv_event_type_str(type);
    say("device event: " + name);
    // Port events are harmless: a port goes up and down with its link, and the QPs remain.
    const bool harmless = type == IBV_EVENT_PORT_ACTIVE || type == IBV_EVENT_PORT_ERR ||
                          type == IBV_EVENT_COMM_EST || type == IBV_EVENT_GID_CHANGE;
    if (receiver_ && !harmless) receiver_->on_async_event(name);
  }
}

void Server::accept_client() {
  const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (fd < 0) return;
  if (connections_.size() == kMaxConnections) {
    close(fd);
    return;
  }
  connections_.emplace_back(fd);
}

/// Handles the complete lines that have arrived on a connection. Handles each line only after the client has
/// accepted the answer to the previous one. May close the connection.
void Server::serve(Connection& connection) {
  if (!connection.flush()) return drop(connection);
  if (connection.unsent()) return;
  const bool there = connection.receive();
  while (!connection.unsent()) {
    const auto line = connection.next_line();
    if (!line) break;
    if (!handle(connection, *line)) return drop(connection);
  }
  if (connection.line_too_long())
    connection.send(error_line("a line has at most " + std::to_string(kMaxLine) + " bytes"));
  else if (there || connection.unsent())
    return;
  drop(connection);
}

/// Closes a connection, and ends its session.
void Server::drop(Connection& connection) {
  if (client_ == &connection) abandon();
  connections_.remove_if([&](const Connection& c) { return &c == &connection; });
}

/// Answers a line of a client. Returns false if the connection can no longer be used.
bool Server::handle(Connection& connection, const std::string& line) {
  json reply;
  try {
    reply = answer(connection, line);
  } catch (const Refusal& refusal) {
    say(std::string("refused: ") + refusal.what());
    reply = error_line(refusal.what());
  } catch (const NoDevice& error) {
    say(error.what());
    reply = error_line(error.what());
  } catch (const std::bad_alloc&) {
    reply = error_line("out of memory");
  }
  return connection.send(reply);
}

json Server::answer(Connection& connection, const std::string& text) {
  if (conformance_ && client_ == &connection) return answer_conformance(text);
  const json line = parse_line(text);
  if (line.contains("end")) {
    if (!receiver_ || client_ != &connection) throw Refusal("'end' without a session on this connection");
    const End what = parse_end(line);
    return end(&what);
  }
  if (line.contains("version")) return begin(connection, line);
  if (conformance_)
    throw Refusal("a conformance session is in progress; only its own connection may send requests");
  if (!receiver_)
    throw Refusal("no session; a connection begins with {\"version\": 1, …} (doc/rdma-sink.md)");
  if (line.contains("post_receives")) return {{"posted", receiver_->post(parse_post_receives(line))}};
  if (line.contains("status")) return receiver_->status();
  throw Refusal("unknown request; known ones are version, post_receives, status and end");
}

json Server::answer_conformance(const std::string& text) {
  if (text.size() > kMaxRequestLine)
    throw Refusal("a line of a conformance session has at most " + std::to_string(kMaxRequestLine) +
                  " bytes");
  return conformance_->answer(parse_conformance_request(parse_line(text)));
}

json Server::begin(Connection& connection, const json& line) {
  if (client_ != nullptr) throw Refusal("busy with another client; try again when its session has ended");
  if (wants_conformance(line)) {
    const ConformanceHello hello = parse_conformance_hello(line);
    auto session = std::make_unique<ConformanceSession>(device_, options_, hello);
    json welcome = session->welcome();
    conformance_ = std::move(session);
    client_ = &connection;
    say("conformance session of " + hello.ip.to_string());
    return welcome;
  }
  const Hello hello = parse_hello(line);
  receiver_ = std::make_unique<Receiver>(device_, options_, hello, event_file_);
  client_ = &connection;
  say(std::to_string(hello.qps.size()) + " queue pairs for " + hello.ip.to_string());
  return receiver_->welcome();
}

/// Ends the session, if there is one, because its client has disconnected or rdma-sink ends.
void Server::abandon() {
  if (receiver_) end(nullptr);
  if (!conformance_) return;
  conformance_.reset();
  client_ = nullptr;
  ++sessions_;
  say("the conformance session has ended");
}

/// Ends the session of `receiver_`, and returns its report. `what` is null if the client disconnected.
json Server::end(const End* what) {
  json report = receiver_->finish(what);
  receiver_.reset();
  client_ = nullptr;
  ++sessions_;
  held_ = held_ && report["held"].get<bool>();
  std::printf("%s\n", report.dump().c_str());
  std::fflush(stdout);
  if (!options_.json.empty()) write_report(options_.json, report);
  return report;
}

/// Closes connections that send nothing, to make room for new ones.
void Server::drop_silent() {
  const auto now = std::chrono::steady_clock::now();
  connections_.remove_if(
      [&](const Connection& c) { return &c != client_ && !c.unsent() && now - c.since() > kPatience; });
}

}  // namespace softfeb::sink
