// SPDX-License-Identifier: BSD-3-Clause
// Keys `lengths`, `arrivals` and `seed` of a QP's traffic.
#include "base/published_cdfs.hpp"
#include "config/checks.hpp"
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/length_distribution.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace softfeb::config {
namespace {

using Lengths = std::shared_ptr<const Cdf>;

const std::array<std::string, 2> kPublished{"web_search", "hadoop"};

/// Returns a published distribution, or null if there is none with this name. All QPs that use a distribution
/// share one copy of it.
Lengths published(const std::string& name) {
  static const Lengths web_search = std::make_shared<const Cdf>(web_search_cdf());
  static const Lengths hadoop = std::make_shared<const Cdf>(hadoop_cdf());
  if (name == kPublished[0]) return web_search;
  return name == kPublished[1] ? hadoop : nullptr;
}

Lengths from_file(Reading& reading, const std::string& name, const Where& where) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) {
    const std::string* const near = nearest(name, kPublished);
    reading.problem(where, "no distribution or file \"" + name + '"',
                    near != nullptr
                        ? "did you mean `" + *near + "`?"
                        : "write web_search, hadoop, or an existing file, relative to the working "
                          "directory");
    return nullptr;
  }
  try {
    return std::make_shared<const Cdf>(load_length_distribution(name));
  } catch (const ConfigError& e) {
    for (const Problem& p : e.problems()) reading.problem(p.where, p.message, p.fix);
    return nullptr;
  }
}

void read_lengths(Section& s, TrafficConfig& t) {
  LengthsConfig lengths;
  if (!s.read("lengths", lengths.text, parse_text)) return;
  const Where& where = s.find("lengths")->where;
  lengths.cdf = published(lengths.text);
  if (!lengths.cdf) lengths.cdf = from_file(s.reading(), lengths.text, where);
  if (!lengths.cdf) return;
  if (s.given("message_size")) {
    s.reading().problem(s.find("message_size")->where, "`lengths` determines the size of each message",
                        "remove `message_size` or `lengths`");
  }
  if (t.payload.kind == board::PayloadKind::kFile) {
    s.reading().problem(where, "a file is sent in messages of one size",
                        "write `payload: counter`, or `message_size` instead of `lengths`");
  }
  t.message_size = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, lengths.cdf->points().back().bytes));
  t.lengths = std::move(lengths);
}

Parsed<Probability> parse_load(const std::string& text) {
  auto load = parse_probability(text);
  if (load.value && load.value->billionths != 0) return load;
  return {load.value ? "a load of 0 sends nothing" : load.message,
          "write a share of the link, for example 50%"};
}

Parsed<Rate> parse_message_rate(const std::string& text) {
  auto rate = parse_rate(text);
  if (rate.value && rate.value->unit == Rate::Unit::kMessages) return rate;
  return {'"' + text + "\" is not a rate of messages", "write for example 1000msg/s"};
}

ArrivalsConfig read_arrivals(Section s) {
  ArrivalsConfig arrivals;
  arrivals.where = s.where();
  const bool load = s.read("load", arrivals.load, parse_load);
  const bool rate = s.read("rate", arrivals.given, parse_message_rate);
  s.read("queue", arrivals.queue, choices::kQueue);
  if (load && rate) {
    s.reading().problem(s.find("rate")->where, "`load` determines the rate", "remove one of them");
  } else if (!s.given("load") && !s.given("rate")) {
    s.reading().problem(s.where(), "has neither a load nor a rate", "write `load: 50%` or `rate: 1000msg/s`");
  }
  s.close();
  return arrivals;
}

double rate_of(const BoardConfig& board, const QpConfig& qp) {
  const ArrivalsConfig& a = *qp.traffic.arrivals;
  if (!a.load) return static_cast<double>(a.given.per_second);
  const double load = a.load->billionths / static_cast<double>(Probability::kOne);
  const double payload = static_cast<double>(qp.pmtu) / (qp.pmtu + wire_overhead(board, qp));
  return load * static_cast<double>(*board.link_rate) * payload / qp.traffic.mean_length();
}

}  // namespace

void read_random_traffic(Section& s, TrafficConfig& t) {
  read_lengths(s, t);
  const Node* const node = s.find("arrivals");
  if (node != nullptr) t.arrivals = read_arrivals(Section(s.reading(), *node, s.pattern("arrivals")));
  if (t.arrivals && t.rate.unit == Rate::Unit::kMessages) {
    s.reading().problem(s.find("rate")->where, "`arrivals` determines when messages are sent",
                        "remove one of them, or limit the packets: Gb/s or pps");
  }
  if (t.arrivals && t.arrivals->load && t.message_size == 0) {
    s.reading().problem(node->where, "messages without payload make no load",
                        "write `rate` instead of `load`");
  }
  const bool seed = s.read("seed", t.seed, integer(0, UINT64_MAX));
  if (seed && !s.given("lengths") && node == nullptr) {
    s.reading().problem(s.find("seed")->where, "nothing of this traffic is random",
                        "remove it, or add `lengths` or `arrivals`");
  }
}

void resolve_arrivals(Reading& reading, RunConfig& config) {
  for (BoardConfig& board : config.boards) {
    for (QpConfig& qp : board.qps) {
      if (!qp.traffic.arrivals) continue;
      ArrivalsConfig& a = *qp.traffic.arrivals;
      if (a.load && !board.link_rate) {
        reading.problem(config.place(a.where, "load"), "the board has no link rate to which the load refers",
                        "give the board a `link_rate`, or write `rate` instead of `load`");
        continue;
      }
      a.rate = rate_of(board, qp);
    }
  }
}

void check_random_traffic(Reading& reading, const RunConfig& config, const QpConfig& qp) {
  const TrafficConfig& t = qp.traffic;
  if (!t.random()) return;
  const char* const key = t.lengths ? "lengths" : "arrivals";
  const Where place = config.place(t.where, key);
  if (qp.transport == roce::Transport::kUc) {
    reading.problem(place, "UC has no acknowledgements, which show when a message has arrived",
                    "write `transport: RC`");
  } else if (qp.signaled != SignalPolicy::kAll && !qp.sq_sig_all) {
    reading.problem(place, "without a completion for each message, completion times are not known",
                    "write `signaled: all`");
  }
  const bool remote =
      std::holds_alternative<PerftestTarget>(qp.to) || std::holds_alternative<SinkTarget>(qp.to);
  if (t.lengths && remote) {
    reading.problem(place, qp.to_text + " expects messages of one size",
                    "write `message_size`, or a receiver of this file or {ip, qpn, …}");
  }
}

}  // namespace softfeb::config
