// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/log_collector.hpp"

#include <cstdlib>

#include <rte_log.h>

namespace softfeb::dataplane {

LogCollector::LogCollector() : stream_(open_memstream(&text_, &size_)) {
  if (stream_ != nullptr) rte_openlog_stream(stream_);
}

LogCollector::~LogCollector() {
  rte_openlog_stream(stderr);
  if (stream_ != nullptr) std::fclose(stream_);
  std::free(text_);
}

std::string LogCollector::text() {
  if (stream_ == nullptr) return {};
  std::fflush(stream_);
  return {text_, size_};
}

std::string LogCollector::one_line() {
  std::string out;
  for (const char c : text()) {
    if (c != '\n') {
      out += c;
    } else if (!out.ends_with("; ")) {
      out += "; ";
    }
  }
  while (out.ends_with("; ")) out.erase(out.size() - 2);
  return out;
}

}  // namespace softfeb::dataplane
