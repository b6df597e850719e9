// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/rng.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <rte_mbuf.h>

namespace softfeb::dataplane::test {

/// A temporary directory that exists as long as the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "softfeb-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::vector<std::uint8_t> random_bytes(Rng& rng, std::size_t n) {
  std::vector<std::uint8_t> out(n);
  for (auto& b : out) b = static_cast<std::uint8_t>(rng.next());
  return out;
}

inline std::vector<std::uint8_t> bytes_of(const rte_mbuf* packet) {
  std::vector<std::uint8_t> out;
  for (const rte_mbuf* m = packet; m != nullptr; m = m->next) {
    const auto* p = rte_pktmbuf_mtod(m, const std::uint8_t*);
    out.insert(out.end(), p, p + m->data_len);
  }
  return out;
}

/// Returns the command's exit status; its output is discarded.
inline int run(const std::string& command) { return std::system((command + " >/dev/null 2>&1").c_str()); }

}  // namespace softfeb::dataplane::test
