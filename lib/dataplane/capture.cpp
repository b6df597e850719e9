// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/capture.hpp"

#include "dataplane/error.hpp"
#include "dataplane/partial_path.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace softfeb::dataplane {
namespace {

// https://www.tcpdump.org/manpages/pcap-savefile.5.html
struct FileHeader {
  std::uint32_t magic = 0xa1b23c4d;  ///< for files with time stamps in nanoseconds
  std::uint16_t major = 2;
  std::uint16_t minor = 4;
  std::uint32_t reserved1 = 0;
  std::uint32_t reserved2 = 0;
  std::uint32_t snap_length = 262'144;
  std::uint32_t link_type = 1;  ///< LINKTYPE_ETHERNET
};
static_assert(sizeof(FileHeader) == 24);

struct PacketHeader {
  std::uint32_t seconds;
  std::uint32_t nanoseconds;
  std::uint32_t kept;
  std::uint32_t original;
};
static_assert(sizeof(PacketHeader) == 16);

template <typename T>
void put(std::ofstream& out, const T& value) {
  out.write(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_packet(std::ofstream& out, const Capture::Packet& p, std::uint64_t unix_origin_ns) {
  const std::uint64_t ns = unix_origin_ns + p.time / kNanosecond;
  put(out, PacketHeader{static_cast<std::uint32_t>(ns / 1'000'000'000),
                        static_cast<std::uint32_t>(ns % 1'000'000'000),
                        static_cast<std::uint32_t>(p.bytes.size()), p.original_length});
  out.write(reinterpret_cast<const char*>(p.bytes.data()), static_cast<std::streamsize>(p.bytes.size()));
}

}  // namespace

Capture::Capture(const CaptureConfig& config)
    : config_(config),
      room_(std::min(config.snap_length, config.frame_bytes)),
      slots_(std::max<std::uint32_t>(config.packets, 1)),
      bytes_(slots_.size() * room_),  // zero-filled here, so that record() takes no page faults
      left_(config.mode == CaptureMode::kFirst ? slots_.size() : UINT64_MAX) {}

void Capture::record(Time now, const Segments& frame) {
  if (left_ == 0) return;
  if (left_ != UINT64_MAX) --left_;
  const auto kept = static_cast<std::uint32_t>(frame.copy(0, room_, bytes_.data() + next_ * room_));
  slots_[next_] = {now, static_cast<std::uint32_t>(frame.size()), kept};
  next_ = next_ + 1 == slots_.size() ? 0 : next_ + 1;
  count_ = std::min(count_ + 1, slots_.size());
}

void Capture::trigger() {
  if (triggered_ || config_.mode != CaptureMode::kOnError) return;
  triggered_ = true;
  left_ = slots_.size() / 4;
}

Capture::Packet Capture::packet(std::size_t i) const {
  const std::size_t oldest = count_ == slots_.size() ? next_ : 0;
  const std::size_t at = (oldest + i) % slots_.size();
  const Slot& slot = slots_[at];
  return {slot.time, slot.original_length, ByteSpan(bytes_).subspan(at * room_, slot.kept)};
}

std::size_t write_pcap(const std::string& path, std::span<const Capture* const> captures,
                       std::uint64_t unix_origin_ns) {
  std::vector<Capture::Packet> packets;
  for (const Capture* capture : captures) {
    for (std::size_t i = 0; i < capture->size(); ++i) packets.push_back(capture->packet(i));
  }
  std::stable_sort(packets.begin(), packets.end(),
                   [](const auto& a, const auto& b) { return a.time < b.time; });

  const std::string partial = partial_path(path);
  std::ofstream out(partial, std::ios::binary | std::ios::trunc);
  put(out, FileHeader{});
  for (const auto& p : packets) put_packet(out, p, unix_origin_ns);
  out.close();
  std::error_code error;
  if (out && partial != path) std::filesystem::rename(partial, path, error);
  if (!out || error) {
    const std::string why = error ? error.message() : std::strerror(errno);
    if (partial != path) std::filesystem::remove(partial, error);
    throw EnvironmentError("capture " + path + " cannot be written: " + why,
                           "check that the directory exists and has free space");
  }
  return packets.size();
}

}  // namespace softfeb::dataplane
