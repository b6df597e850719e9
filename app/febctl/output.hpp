// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace softfeb::febctl {

/// Where commands say what they found: text for people, or JSON documents, one a line.
class Output {
 public:
  explicit Output(bool json) : json_(json) {}

  bool json() const { return json_; }
  /// One of the two is printed.
  void result(const std::string& text, const nlohmann::json& json) const;
  /// For people alone: on standard error, and only when they do not ask for JSON.
  void note(const std::string& text) const;

 private:
  bool json_;
};

}  // namespace softfeb::febctl
