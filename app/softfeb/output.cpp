// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/error.hpp"
#include "result.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace softfeb::app {

namespace {

/// A file under a name of its own until it is complete.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path) : path_(std::move(path)), part_(path_ + ".part") {
    file_ = std::fopen(part_.c_str(), "wb");
    if (file_ == nullptr) fail();
  }
  ~AtomicFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(part_.c_str());
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t n) {
    if (n != 0 && std::fwrite(data, 1, n, file_) != n) fail();
  }
  void commit() {
    const bool closed = std::fclose(file_) == 0;
    file_ = nullptr;
    if (!closed || std::rename(part_.c_str(), path_.c_str()) != 0) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw dataplane::EnvironmentError("cannot write " + path_ + ": " + std::strerror(errno),
                                      "name a file in a folder you may write to");
  }

  std::string path_;
  std::string part_;
  std::FILE* file_ = nullptr;
};

}  // namespace

void check_writable(const config::RunConfig& config, const std::optional<std::string>& json) {
  std::vector<std::string> paths;
  if (json && *json != "-") paths.push_back(*json);
  for (const auto& r : config.receivers) {
    if (!r.out.empty()) paths.push_back(r.out);
  }
  for (const auto& p : config.ports) {
    if (p.capture) paths.push_back(p.capture->file);
  }
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path)) {
      throw dataplane::EnvironmentError("cannot write " + path + ": it is a directory", "name a file in it");
    }
    const AtomicFile made_and_removed(path);
  }
}

void write_atomically(const std::string& path, const std::string& text) {
  if (path == "-") {
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) {
      throw dataplane::EnvironmentError(
          std::string("cannot write the result to standard output: ") + std::strerror(errno),
          "name a file instead of -");
    }
    return;
  }
  AtomicFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

std::vector<std::string> write_outputs(const config::RunConfig& config, const Targets& targets,
                                       Endpoints& endpoints) {
  std::vector<std::string> lines;
  for (std::size_t r = 0; r < config.receivers.size(); ++r) {
    const config::ReceiverConfig& c = config.receivers[r];
    if (c.out.empty()) continue;
    AtomicFile file(c.out);
    std::uint64_t bytes = 0;
    for (const QpPlan& plan : targets.plans()) {
      if (plan.target.receiver != r) continue;
      const std::uint64_t end = endpoints.receivers[r]->written_end(plan.target.receiver_qp);
      const std::uint64_t n = end > plan.target.address ? end - plan.target.address : 0;
      file.write(endpoints.memories[r]->data() + plan.target.receiver_qp * c.memory, n);
      bytes += n;
    }
    file.commit();
    lines.push_back(fmt::format("{} bytes of receiver {} in {}", bytes, c.endpoint.name, c.out));
  }
  return lines;
}

}  // namespace softfeb::app
