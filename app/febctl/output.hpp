// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdio>
#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::febctl {

/// Where commands say what they found: text for people, or JSON documents, one a line.
class Output {
 public:
  explicit Output(bool json, std::FILE* to = stdout) : json_(json), to_(to) {}

  bool json() const { return json_; }
  /// One of the two is printed.
  void result(const std::string& text, const nlohmann::json& json) const;
  /// As it is, whatever is wanted otherwise.
  void document(const std::string& text) const;
  /// For people alone: on standard error, and only when they do not ask for JSON.
  void note(const std::string& text) const;

 private:
  bool json_;
  std::FILE* to_;
};

}  // namespace softfeb::febctl
