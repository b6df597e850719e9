// SPDX-License-Identifier: BSD-3-Clause
#include "config/choices.hpp"
#include "config/draft.hpp"
#include "roce/work.hpp"

#include <filesystem>
#include <system_error>

namespace softfeb::config {
namespace {

Parsed<std::uint64_t> parse_message_size(const std::string& text) {
  auto size = parse_size(text);
  if (size.value && *size.value > roce::kMaxMessage)
    return {text + " exceeds the largest message", "write at most 2GiB"};
  return size;
}

Parsed<ImmediateConfig> parse_immediate(const std::string& text) {
  if (text == "counter") return ImmediateConfig{ImmediateConfig::Kind::kCounter, 0};
  if (text == "channel") return ImmediateConfig{ImmediateConfig::Kind::kChannel, 0};
  const auto value = parse_integer(text, 0, UINT32_MAX);
  if (!value.value)
    return {'"' + text + "\" is not an immediate", "write a 32-bit number, counter or channel"};
  return ImmediateConfig{ImmediateConfig::Kind::kValue, static_cast<std::uint32_t>(*value.value)};
}

/// Checks the file while loading, so that a wrong name is reported before the run starts.
void read_file(Section s, PayloadConfig& payload) {
  payload.kind = board::PayloadKind::kFile;
  if (s.require("file", payload.file, parse_text, "data.bin")) {
    const Where& where = s.find("file")->where;
    std::error_code error;
    if (!std::filesystem::is_regular_file(payload.file, error)) {
      s.reading().problem(where, "no file \"" + payload.file + '"',
                          "name an existing file, relative to the working directory");
    } else if (payload.file_size = std::filesystem::file_size(payload.file, error);
               error || payload.file_size == 0) {
      s.reading().problem(where, '"' + payload.file + "\" is empty", "name a file with at least one byte");
    }
  }
  s.read("repeat", payload.repeat, integer(1, UINT32_MAX));
  s.close();
}

void read_payload(Section& s, PayloadConfig& payload) {
  const Node* node = s.find("payload");
  payload.where = node != nullptr ? node->where : s.where();
  if (node == nullptr) return;
  if (node->kind == Node::Kind::kMap)
    return read_file(Section(s.reading(), *node, s.pattern("payload")), payload);
  s.scalar(*node, payload.kind, [](const std::string& text) -> Parsed<board::PayloadKind> {
    auto kind = choices::kPayload(text);
    if (!kind.value) kind.fix += ", or {file: PATH}";
    return kind;
  });
}

}  // namespace

TrafficConfig read_traffic(Section s) {
  TrafficConfig traffic;
  traffic.where = s.where();
  s.read("verb", traffic.verb, choices::kVerb);
  s.read("message_size", traffic.message_size, parse_message_size);
  s.read("rate", traffic.rate, parse_rate);
  s.read("messages", traffic.messages, integer(1, UINT64_MAX - 1));
  read_payload(s, traffic.payload);
  const bool immediate = s.read("immediate", traffic.immediate, parse_immediate);
  s.read("slots", traffic.slots, integer(0, UINT32_MAX));
  s.read("burst", traffic.burst, integer(1, 1024));
  if (immediate && traffic.verb == roce::WrOpcode::kWrite) {
    s.reading().problem(s.find("immediate")->where, "`verb: write` carries no immediate",
                        "write `verb: write_imm`");
  }
  s.close();
  return traffic;
}

}  // namespace softfeb::config
