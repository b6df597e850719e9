// SPDX-License-Identifier: BSD-3-Clause
#include "expected.hpp"

#include <filesystem>

namespace softfeb::sink {

Expected::Expected(const Hello& hello, const std::string& file) {
  const PayloadRule& rule = hello.payload;
  if (!rule.kind) return;
  const bool from_file = *rule.kind == board::PayloadKind::kFile;
  if (from_file && file.empty()) return;
  try {
    if (from_file && std::filesystem::file_size(file) != rule.file_size)
      throw Refusal("the client sends a file of " + std::to_string(rule.file_size) + " bytes, --expect " +
                    file + " has another size; give the same file to both");
    board::PayloadSpec spec;
    spec.kind = *rule.kind;
    spec.message_length = hello.message_size;
    spec.pmtu = hello.pmtu;
    spec.path = file;
    spec.seed = rule.seed;
    spec.window = rule.window;
    source_ = board::make_payload(spec);
    arena_.resize(source_->arena_bytes());
    source_->fill(arena_);
  } catch (const board::PayloadError& error) {
    throw Refusal(std::string("payload: ") + error.what());
  } catch (const std::filesystem::filesystem_error& error) {
    throw Refusal(std::string("--expect: ") + error.what());
  }
}

}  // namespace softfeb::sink
