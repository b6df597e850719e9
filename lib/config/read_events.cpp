// SPDX-License-Identifier: BSD-3-Clause
// List `triggers`, and section `events` of boards and receivers.
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "config/limited_text.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <utility>

namespace softfeb::config {
namespace {

using detector::FragmentSizes;
using detector::PayloadKind;
using Source = detector::TriggerSourceConfig;

/// Reads a name or a list of names.
void read_names(Section& s, const char* key, std::vector<std::string>& names) {
  const Node* const node = s.find(key);
  if (node == nullptr) return;
  if (node->kind != Node::Kind::kList) {
    s.scalar(*node, names.emplace_back(), parse_text);
    return;
  }
  for (const Node& n : node->children) s.scalar(n, names.emplace_back(), parse_text);
}

/// Parses a trigger rate, which must be a whole number of hertz.
Parsed<std::uint64_t> parse_hertz(const std::string& text) {
  const std::pair<const char*, std::uint64_t> units[] = {{"MHz", 1'000'000}, {"kHz", 1'000}, {"Hz", 1}};
  for (const auto& [unit, factor] : units) {
    if (!text.ends_with(unit)) continue;
    const auto number =
        parse_integer(text.substr(0, text.size() - std::string(unit).size()), 1, kSecond / factor);
    if (number.value) return *number.value * factor;
    break;
  }
  return {'"' + text + "\" is not a rate of triggers",
          "write whole numbers of Hz, kHz or MHz, for example 10kHz"};
}

void read_times_file(Section& s, TriggerSourceSettings& out) {
  std::ifstream file(out.file);
  const std::string text = read_limited(file);
  if (text.size() > kMaxFile) {
    s.reading().problem(s.find("file")->where, '"' + out.file + "\" is larger than 16 MiB",
                        "name a file of trigger times");
    return;
  }
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    line.erase(std::find(line.begin(), line.end(), '#'), line.end());
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const auto time = parse_time(word);
      if (!time.value) {
        s.reading().problem(s.find("file")->where,
                            out.file + ':' + std::to_string(number) + ": " + time.message, time.fix);
        return;
      }
      out.source.times.push_back(*time.value);
    }
  }
  // Opening a directory succeeds, but reading it fails. Therefore check for both errors.
  if (!file.is_open() || file.bad()) {
    s.reading().problem(s.find("file")->where, "cannot read \"" + out.file + '"',
                        "name an existing file, relative to the working directory");
  }
}

void read_list(Section& s, TriggerSourceSettings& out) {
  if (s.read("file", out.file, parse_text)) read_times_file(s, out);
  const Node* const node = s.find("times");
  if (node != nullptr && !out.file.empty())
    s.reading().problem(node->where, "the times are in a file", "remove `times` or `file`");
  if (node == nullptr && !s.given("file")) s.missing("file", "times.txt");
  for (const Node& n : s.list("times")) s.scalar(n, out.source.times.emplace_back(), parse_time);
}

void refuse(Section& s, std::initializer_list<const char*> keys, const char* what) {
  for (const char* key : keys) {
    const Node* const node = s.find(key);
    if (node != nullptr) s.reading().problem(node->where, what, "remove it");
  }
}

TriggerSourceSettings read_source(Section s) {
  TriggerSourceSettings out;
  Source& source = out.source;
  s.require("kind", source.kind, choices::kTriggerSource, "random");
  s.read("type", source.type, choices::kEventType);
  if (source.kind == Source::Kind::kList) {
    read_list(s, out);
    refuse(s, {"rate"}, "a list of times has no rate");
  } else {
    s.require("rate", source.rate_hz, parse_hertz, "10kHz");
    refuse(s, {"file", "times"}, "only sources of kind list have times");
  }
  if (source.kind == Source::Kind::kPeriodic) {
    s.read("phase", source.phase, parse_time);
  } else {
    refuse(s, {"phase"}, "only periodic sources have a phase");
  }
  if (source.kind == Source::Kind::kRandom) {
    s.read("seed", out.seed, integer(0, UINT64_MAX));
    s.read("pile_up", out.pile_up, parse_probability);
    s.read("pile_up_window", source.pile_up_window, parse_time);
    source.pile_up_parts = out.pile_up.parts();
    if (source.pile_up_parts != 0 && source.pile_up_window == 0) s.missing("pile_up_window", "20us");
  } else {
    refuse(s, {"seed", "pile_up", "pile_up_window"}, "only random sources have it");
  }
  s.close();
  return out;
}

void read_sizes(Section s, FragmentSizes& sizes) {
  s.read("min", sizes.min, integer(0, 1U << 30));
  sizes.max = sizes.min;
  const bool max = s.read("max", sizes.max, integer(0, 1U << 30));
  s.read("shape", sizes.shape, choices::kSizeShape);
  s.read("seed", sizes.seed, integer(0, UINT64_MAX));
  if (sizes.min > sizes.max)
    s.reading().problem(s.find("max")->where, "is less than `min`", "write at least `min`");
  if (max && sizes.shape == FragmentSizes::Shape::kFixed && sizes.max != sizes.min)
    s.reading().problem(s.find("max")->where, "sizes of shape fixed do not vary",
                        "write `shape: uniform` or `shape: exponential`");
  s.close();
}

void read_payload(Section& s, BoardEventsConfig& e) {
  s.read("kind", e.kind, choices::kEventKind);
  const Node* const size = s.find("size");
  const Node* const suppress = s.find("suppress");
  if (e.kind != PayloadKind::kReplay) refuse(s, {"file"}, "only `kind: replay` has it");
  if (e.kind == PayloadKind::kCounter) {
    e.sizes = {.min = 4704, .max = 4704};
    if (size != nullptr) read_sizes(Section(s.reading(), *size, s.pattern("size")), e.sizes);
    refuse(s, {"channels", "samples", "images"}, "a counter has neither channels nor images");
    e.channels = e.samples = 0;
  } else if (e.kind == PayloadKind::kReplay) {
    if (size != nullptr) s.reading().problem(size->where, "only `kind: counter` has it", "remove it");
    refuse(s, {"channels", "samples", "images"}, "the recording determines it");
    e.channels = e.samples = 0;
    s.require("file", e.file, parse_text, "run.h5");
  } else {
    if (size != nullptr) s.reading().problem(size->where, "only `kind: counter` has it", "remove it");
    s.read("channels", e.channels, integer(1, 4096));
    s.read("samples", e.samples, integer(1, 16'384));
    s.read("images", e.images, integer(1, 4096));
  }
  if (e.kind == PayloadKind::kRoi) {
    e.suppression = {.threshold = 420, .margin = 4};
    if (suppress == nullptr) return;
    Section t(s.reading(), *suppress, s.pattern("suppress"));
    t.read("threshold", e.suppression.threshold, integer(0, 65'535));
    t.read("margin", e.suppression.margin, integer(0, 16'384));
    t.close();
  } else if (suppress != nullptr) {
    s.reading().problem(suppress->where, "only `kind: roi` is zero-suppressed",
                        "write `kind: roi`, or remove it");
  }
}

void read_fifo(Section& s, BoardEventsConfig& e) {
  s.read("readout_delay", e.readout_delay, parse_time);
  s.read("fifo", e.fifo, integer(1, 4096));
  s.read("busy", e.veto, choices::kBusy);
  e.busy_at = std::max(1U, e.fifo * 3 / 4);
  if (!e.veto) return refuse(s, {"busy_at", "busy_delay"}, "boards with `busy: drop` are never busy");
  s.read("busy_at", e.busy_at, integer(1, 4096));
  s.read("busy_delay", e.busy_delay, parse_time);
  if (e.busy_at > e.fifo) {
    s.reading().problem(s.find("busy_at")->where,
                        "a FIFO of " + std::to_string(e.fifo) + " fragments never holds so many",
                        "write at most `fifo`, or `busy: drop`");
  }
}

bool is_url(const std::string& name) { return name.find("://") != std::string::npos; }

/// Reads the builders. Names are resolved later.
void read_builders(Section& s, BoardEventsConfig& e) {
  read_names(s, "to", e.to_names);
  if (e.to_names.empty()) return s.missing("to", "RECEIVER");
  const Node& node = *s.find("to");
  const auto read_sink = [&](const Node& n) {
    if (is_url(n.text)) s.scalar(n, e.builders.sinks.emplace_back(), parse_sink);
  };
  if (node.kind == Node::Kind::kList) {
    std::for_each(node.children.begin(), node.children.end(), read_sink);
  } else {
    read_sink(node);
  }
  if (!e.builders.sinks.empty() && e.builders.sinks.size() != e.to_names.size()) {
    s.reading().problem(node.where, "names receivers of this file as well as rdma-sinks",
                        "name only receivers of this file, or only rdma-sinks");
  }
}

}  // namespace

TriggerConfig read_trigger(Section s) {
  TriggerConfig trigger;
  trigger.where = s.where();
  s.require("name", trigger.name, parse_text, "camera");
  s.read("dead_time", trigger.dead_time, parse_time);
  s.read("mode", trigger.message, choices::kTriggerMode);
  for (const Node& source : s.list("sources"))
    trigger.sources.push_back(read_source(Section(s.reading(), source, s.pattern("sources[]"))));
  if (trigger.sources.empty()) s.missing("sources", "[{kind: random, rate: 10kHz}]");
  s.close();
  return trigger;
}

BoardEventsConfig read_board_events(Section s) {
  BoardEventsConfig e;
  e.where = s.where();
  s.require("trigger", e.trigger_name, parse_text, "camera");
  read_builders(s, e);
  read_payload(s, e);
  read_fifo(s, e);
  s.read("slots", e.slots, integer(1, 1U << 20));
  s.read("slot", e.slot, size_in(detector::kEventHeaderSize + 1, 1U << 30, "the size of a slot"));
  s.read("piece", e.piece, size_in(1, 1U << 30, "the size of a piece"));
  s.read("transport", e.transport, choices::kTransport);
  s.read("pmtu", e.pmtu, [](const std::string& text) -> Parsed<std::uint64_t> {
    const auto number = parse_integer(text, 256, 4096);
    if (number.value && roce::pmtu_legal(static_cast<std::uint32_t>(*number.value))) return number;
    return {text + " is not a path MTU", "write 256, 512, 1024, 2048 or 4096"};
  });
  s.read("timeout", e.timeout, integer(0, 31));
  s.read("retry_count", e.retry_count, integer(0, 7));
  s.close();
  return e;
}

ReceiverEventsConfig read_receiver_events(Section s) {
  ReceiverEventsConfig e;
  e.where = s.where();
  read_names(s, "boards", e.board_names);
  s.read("window", e.window, integer(1, 65'536));
  s.read("timeout", e.timeout, parse_time);
  s.read("remember", e.remember, integer(0, 1U << 20));
  s.read("out", e.out, parse_text);
  s.read("loss_limit", e.loss_limit, parse_probability);
  s.close();
  return e;
}

}  // namespace softfeb::config
