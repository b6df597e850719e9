// SPDX-License-Identifier: BSD-3-Clause
#include "config/draft.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace softfeb::config {

namespace {

/// Assumed load of a QP without a rate limit, in bits per second. It exceeds the rate at which one core can
/// send.
constexpr double kUnlimited = 400e9;
constexpr double kLeast = 1;  ///< load of an idle endpoint; not 0, so that idle endpoints are spread too
constexpr double kPacket = 1024 * 8.0;

struct Place {
  std::string host;  ///< name of the host; empty without `hosts`
  double load = kLeast;
  std::size_t worker = 0;
  bool given = false;
};

double bits_per_second(const QpDraft& qp) {
  const TrafficConfig& t = qp.config.traffic;
  if (t.arrivals && !t.arrivals->load)
    return static_cast<double>(t.arrivals->given.per_second) * t.mean_length() * 8 / qp.config.count;
  const auto n = static_cast<double>(t.rate.per_second);
  switch (t.rate.unit) {
    case Rate::Unit::kPayloadBytes:
      return n * 8;
    case Rate::Unit::kPackets:
      return n * (qp.pmtu_given ? qp.config.pmtu * 8.0 : kPacket);
    case Rate::Unit::kMessages:
    case Rate::Unit::kPeriod:
      return t.rate.messages_per_second() * t.mean_length() * 8;
    case Rate::Unit::kUnlimited:
      break;
  }
  return kUnlimited;
}

/// Returns the load that each replica of the board sends, in bits per second. It cannot exceed the rate of
/// the board's link.
double offered(const BoardDraft& board) {
  double sum = 0;
  for (const QpDraft& qp : board.qps) sum += qp.config.count * bits_per_second(qp);
  const double link = board.config.link_rate ? static_cast<double>(*board.config.link_rate) * 8 : kUnlimited;
  return std::max(kLeast, std::min(sum, link));
}

/// Returns the load that boards send to each name in their `to` keys, in bits per second. A name is that of a
/// receiver, for all its replicas together, or that of a single replica.
std::map<std::string, double> sent_to(const Draft& draft) {
  std::map<std::string, double> sums;
  for (const BoardDraft& board : draft.boards) {
    double all = 0;
    for (const QpDraft& qp : board.qps) all += qp.config.count * bits_per_second(qp);
    const double share = all > 0 ? offered(board) / all : 0;
    for (const QpDraft& qp : board.qps) {
      const double each = board.endpoint.count * qp.config.count * bits_per_second(qp) * share /
                          static_cast<double>(std::max<std::size_t>(1, qp.to_names.size()));
      for (const std::string& name : qp.to_names) sums[name] += each;
    }
  }
  return sums;
}

/// Returns the name of the host of replica `i`.
std::string host_of(const std::vector<PortConfig>& ports, const EndpointDraft& e, std::uint32_t i) {
  const std::string& name = e.port_names.empty() ? e.port : e.port_names[i % e.port_names.size()];
  const auto port =
      std::find_if(ports.begin(), ports.end(), [&name](const PortConfig& p) { return p.name == name; });
  return port == ports.end() ? "" : port->host_name;
}

/// Adds the replicas of an endpoint. `load(i)` is the load of replica i.
template <typename Load>
void add(std::vector<Place>& places, const std::vector<PortConfig>& ports, const EndpointDraft& e,
         Load load) {
  for (std::uint32_t i = 0; i < e.count; ++i) {
    const bool given = !e.workers.empty();
    places.push_back({host_of(ports, e, i), std::max(kLeast, load(i)),
                      given ? e.workers[i % e.workers.size()] : 0, given});
  }
}

std::vector<Place> places_of(const Draft& draft) {
  std::vector<Place> places;
  for (const BoardDraft& board : draft.boards) {
    add(places, draft.config.ports, board.endpoint, [load = offered(board)](std::uint32_t) { return load; });
  }
  const std::map<std::string, double> sums = sent_to(draft);
  const auto to = [&sums](const std::string& name) {
    const auto at = sums.find(name);
    return at == sums.end() ? 0 : at->second;
  };
  for (const ReceiverDraft& receiver : draft.receivers) {
    const std::string& name = receiver.endpoint.config.name;
    const std::uint32_t n = receiver.endpoint.count;
    // A QP may name all replicas together, which share this load equally, or a single replica.
    add(places, draft.config.ports, receiver.endpoint,
        [&](std::uint32_t i) { return to(name) / n + (n > 1 ? to(name + '-' + std::to_string(i)) : 0); });
  }
  return places;
}

}  // namespace

std::vector<std::size_t> spread(const Draft& draft, const std::vector<std::size_t>& workers) {
  std::vector<Place> places = places_of(draft);
  std::map<std::string, std::map<std::size_t, double>> loads;  // sum of the loads, by host and worker
  std::vector<Place*> open;
  for (Place& p : places) {
    if (p.given) {
      loads[p.host][p.worker] += p.load;
    } else {
      open.push_back(&p);
    }
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const Place* a, const Place* b) { return a->load > b->load; });
  for (Place* p : open) {
    std::map<std::size_t, double>& load = loads[p->host];
    const auto least = std::min_element(workers.begin(), workers.end(),
                                        [&load](std::size_t a, std::size_t b) { return load[a] < load[b]; });
    p->worker = *least;
    load[*least] += p->load;
  }
  std::vector<std::size_t> out;
  out.reserve(places.size());
  for (const Place& p : places) out.push_back(p.worker);
  return out;
}

}  // namespace softfeb::config
