// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>

namespace softfeb::febctl {

/// Exit status of febctl, the same as in all programs of this project.
enum ExitCode : int {
  kDone = 0,
  kRefused = 1,   ///< the board refused, or a check failed
  kBadUsage = 2,  ///< wrong usage, path, value or file; the message says where, and how to fix it
  kNoAnswer = 3,  ///< no response, or this machine lacks a requirement
};

/// Exception that ends a command. The message states what is wrong, where, and how to fix it.
class Failure : public std::runtime_error {
 public:
  Failure(ExitCode code, const std::string& what) : std::runtime_error(what), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : Failure {
  explicit UsageError(const std::string& what) : Failure(kBadUsage, what) {}
};
struct Refusal : Failure {
  explicit Refusal(const std::string& what) : Failure(kRefused, what) {}
};
struct NoAnswer : Failure {
  explicit NoAnswer(const std::string& what) : Failure(kNoAnswer, what) {}
};

}  // namespace softfeb::febctl
