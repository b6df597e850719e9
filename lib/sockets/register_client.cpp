// SPDX-License-Identifier: BSD-3-Clause
#include "sockets/register_client.hpp"

#include "sockets/blocking_link.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <utility>

namespace softfeb::sockets {

namespace {

/// If the link has not been used for longer than this, the client probes whether the server still knows the
/// connection.
constexpr Time kDoubtAfter = 300 * kMillisecond;

using Read = RegisterClient::Read;
using Write = RegisterClient::Write;
using Outcome = RegisterClient::Outcome;

std::string access_text(const char* what, std::uint32_t address, std::size_t bytes) {
  char text[64];
  std::snprintf(text, sizeof text, "%s of %zu bytes at 0x%08x", what, bytes, address);
  return text;
}
std::string access_text(const Read& r) { return access_text("read", r.address, r.bytes); }
std::string access_text(const Write& w) { return access_text("write", w.address, w.data.size()); }

void check(std::uint32_t address, std::size_t bytes, const char* what) {
  const bool legal = address % 4 == 0 && bytes % 4 == 0 && bytes > 0 && bytes <= srp::kMaxAccess &&
                     address + std::uint64_t{bytes} <= 1ULL << 32;
  if (legal) return;
  throw RegisterError(RegisterFault::kUsage,
                      access_text(what, address, bytes) +
                          ": invalid access; addresses and sizes must be multiples of 4, sizes 4 to 4096");
}

}  // namespace

struct RegisterClient::Impl {
  explicit Impl(const RegisterClientOptions& o)
      : options(o),
        in_flight(std::max<std::size_t>(1, o.in_flight)),
        srp(o.access_timeout),
        transport({}, o.board, srp) {
    srp.attach(transport.link());
    transport.link().notify_closed([this](const srp::RssiClosed& c) { closed = srp::reason_of(c); });
  }

  using Issue = std::function<bool(std::size_t index, srp::SrpClient::Callback)>;

  [[noreturn]] void fail(const std::string& what) const {
    throw RegisterError(RegisterFault::kEnvironment, "board " + srp::to_text(options.board) + ": " + what);
  }

  void open() {
    if (transport.wait_open(options.connect_timeout)) return;
    fail(transport.why_not_open());
  }

  /// Ensures that the link is open at both ends.
  void ready() {
    open();
    if (steady_time() < used_at + kDoubtAfter) return;
    Outcome probe;
    std::size_t ended = 0;
    if (srp.null(steady_time(), note(probe, ended))) run([&] { return ended == 1; });
    open();
  }

  static srp::SrpClient::Callback note(Outcome& out, std::size_t& ended) {
    return [&out, &ended](const srp::SrpReply& reply, Time) {
      out = {reply.outcome, reply.status, {reply.data.begin(), reply.data.end()}};
      ++ended;
    };
  }

  /// Runs until `done` returns true. This terminates because every pending transaction completes or times
  /// out.
  void run(const std::function<bool()>& done) {
    while (!done()) {
      transport.run_some(srp.deadline());
      srp.on_timer(steady_time());
    }
    used_at = steady_time();
  }

  /// Performs `n` accesses, of which at most `in_flight` are outstanding at a time. `issue` starts one
  /// access. Accesses that cannot start because the link has closed keep the outcome kClosed.
  std::vector<Outcome> transact(std::size_t n, const Issue& issue) {
    ready();
    std::vector<Outcome> outcomes(n);
    std::size_t begun = 0;
    std::size_t ended = 0;
    bool open = true;
    run([&] {
      while (open && begun < n && begun - ended < in_flight) {
        open = issue(begun, note(outcomes[begun], ended));
        if (open) ++begun;
      }
      return ended == begun;
    });
    return outcomes;
  }

  RegisterClientOptions options;
  std::size_t in_flight;
  std::string closed;  ///< reason the last connection closed; also written by the destructor of `transport`
  srp::SrpClient srp;
  BlockingLink transport;
  Time used_at = 0;
};

RegisterClient::RegisterClient(const RegisterClientOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}
RegisterClient::~RegisterClient() = default;
RegisterClient::RegisterClient(RegisterClient&&) noexcept = default;
RegisterClient& RegisterClient::operator=(RegisterClient&&) noexcept = default;

void RegisterClient::connect() { impl_->ready(); }
void RegisterClient::close() { impl_->transport.close(); }
bool RegisterClient::connected() const { return impl_->transport.link().open(); }
const srp::RssiStatus& RegisterClient::link_status() const { return impl_->transport.link().status(); }
const srp::SrpClientCounters& RegisterClient::counters() const { return impl_->srp.counters(); }

std::string RegisterClient::explain(const Outcome& outcome, const std::string& access) const {
  const std::string where = "board " + srp::to_text(impl_->options.board) + ": " + access + ": ";
  switch (outcome.outcome) {
    case srp::SrpOutcome::kOk:
      return {};
    case srp::SrpOutcome::kStatus:
      return where + srp::status_text(outcome.status) + "; check the address against the register map";
    case srp::SrpOutcome::kMalformed:
      return where + "the response has the wrong length; check that the server speaks SRPv3";
    case srp::SrpOutcome::kTimeout:
      return where + "no response, although the link is up: the board's register bus hangs; reset the board";
    case srp::SrpOutcome::kClosed:
      break;
  }
  return where + "the link closed before the response (" + impl_->closed +
         "), and the board may or may not have carried out the access; " +
         "check that no other client connects to this board, then repeat the access";
}

namespace {

/// Throws for the first access that failed.
template <typename Access>
void require(const RegisterClient& client, std::span<const Access> accesses,
             const std::vector<Outcome>& outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome& o = outcomes[i];
    if (o.ok()) continue;
    const bool answered = o.outcome == srp::SrpOutcome::kStatus || o.outcome == srp::SrpOutcome::kMalformed;
    throw RegisterError(answered ? RegisterFault::kAccess : RegisterFault::kEnvironment,
                        client.explain(o, access_text(accesses[i])), o.status);
  }
}

}  // namespace

std::vector<Outcome> RegisterClient::try_read_many(std::span<const Read> reads) {
  for (const Read& r : reads) check(r.address, r.bytes, "read");
  return impl_->transact(reads.size(), [&](std::size_t i, srp::SrpClient::Callback done) {
    return impl_->srp.read(reads[i].address, reads[i].bytes, steady_time(), std::move(done));
  });
}

std::vector<Outcome> RegisterClient::try_write_many(std::span<const Write> writes) {
  for (const Write& w : writes) check(w.address, w.data.size(), "write");
  return impl_->transact(writes.size(), [&](std::size_t i, srp::SrpClient::Callback done) {
    return impl_->srp.write(writes[i].address, writes[i].data, steady_time(), std::move(done));
  });
}

std::vector<std::vector<std::uint8_t>> RegisterClient::read_many(std::span<const Read> reads) {
  std::vector<Outcome> outcomes = try_read_many(reads);
  require(*this, reads, outcomes);
  std::vector<std::vector<std::uint8_t>> out;
  out.reserve(outcomes.size());
  for (Outcome& o : outcomes) out.push_back(std::move(o.data));
  return out;
}

void RegisterClient::write_many(std::span<const Write> writes) {
  require(*this, writes, try_write_many(writes));
}

std::vector<std::uint8_t> RegisterClient::read(std::uint32_t address, std::size_t bytes) {
  const Read one{address, bytes};
  return std::move(read_many({&one, 1}).front());
}

std::uint32_t RegisterClient::read32(std::uint32_t address) { return load_le32(read(address, 4).data()); }

void RegisterClient::write(std::uint32_t address, ByteSpan data) {
  const Write one{address, {data.begin(), data.end()}};
  write_many({&one, 1});
}

void RegisterClient::write32(std::uint32_t address, std::uint32_t value) {
  std::uint8_t bytes[4];
  store_le32(bytes, value);
  write(address, bytes);
}

/// Sends a null request after the write. Its response shows that the board has processed the write.
void RegisterClient::post(std::uint32_t address, ByteSpan data) {
  check(address, data.size(), "posted write");
  const auto outcomes = impl_->transact(1, [&](std::size_t, srp::SrpClient::Callback done) {
    return impl_->srp.post(address, data, steady_time()) && impl_->srp.null(steady_time(), std::move(done));
  });
  if (!outcomes.front().ok())
    throw RegisterError(RegisterFault::kEnvironment,
                        explain(outcomes.front(), access_text("posted write", address, data.size())));
}

void RegisterClient::wait(Time duration) {
  impl_->transport.run_until([] { return false; }, duration);
}

}  // namespace softfeb::sockets
