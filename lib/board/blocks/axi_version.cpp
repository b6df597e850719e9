// SPDX-License-Identifier: BSD-3-Clause
#include "base/rng.hpp"
#include "board/blocks/blocks.hpp"
#include "board/blocks/tables.hpp"

#include <algorithm>

namespace softfeb::board {
namespace axi_version_block {
namespace {

constexpr std::uint32_t kUpTime = 0x008, kFdSerial = 0x300, kGitHash = 0x600, kDeviceDna = 0x700,
                        kBuildStamp = 0x800;
constexpr std::size_t kBuildStampBytes = 256;

constexpr RegisterSpec kRegisters[] = {
    ro("FpgaVersion", 0x000, 32).resets_to(0x0201'0000),
    rw("ScratchPad", 0x004, 32),
    ro("UpTimeCnt", kUpTime, 32).polled(1),
    rw("FpgaReloadHalt", 0x100, 1),
    command("FpgaReload", 0x104),
    rw("FpgaReloadAddress", 0x108, 32),
    rw("UserReset", 0x10c, 1),
    ro("FdSerial", kFdSerial, 64),
    ro("DeviceId", 0x500, 32),
    ro("GitHash", kGitHash, 160),
    ro("DeviceDna", kDeviceDna, 128),
    ro("BuildStamp", kBuildStamp, kBuildStampBytes * 8).as(NumberFormat::kString),
};

/// Clients parse "Image: Env, Server, Built Date by User". The stamp contains no date, to keep builds
/// reproducible.
std::string own_stamp(const Profile& profile) {
  return "Simple10GbeRudpKcu105Example: softfeb, software stand-in, Built as " + profile.name() +
         " by softfeb";
}

/// Replaces all characters other than printable ASCII, because such characters can terminate threads of the
/// client. Truncates the text to the length of the register.
std::string printable(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text.substr(0, kBuildStampBytes - 1);
}

class AxiVersion final : public Block {
 public:
  explicit AxiVersion(Time start) : start_(start) {}

  void refresh(BlockWords& words, const LiveState& /*live*/, Time now) override {
    const Time up = now > start_ ? now - start_ : 0;
    words.set(kUpTime, static_cast<std::uint32_t>(up / kSecond));
  }

 private:
  Time start_;
};

}  // namespace
}  // namespace axi_version_block

tables::Table tables::axi_version() {
  using namespace axi_version_block;
  return kRegisters;
}

std::unique_ptr<Block> blocks::axi_version(BlockWords words, const Config& config, const Profile& profile) {
  using namespace axi_version_block;
  Rng rng(config.seed);
  // The low byte of a DS2411's serial number is its family code, 01. The DNA of an UltraScale has 96 bits.
  words.set64(kFdSerial, (rng.next() & ~std::uint64_t{0xff}) | 0x01);
  words.set64(kDeviceDna, rng.next());
  words.set(kDeviceDna + 8, static_cast<std::uint32_t>(rng.next()));
  auto hash = config.git_hash;
  std::reverse(hash.begin(), hash.end());
  words.set_bytes(kGitHash, hash);
  const std::string stamp = config.build_stamp.empty() ? own_stamp(profile) : config.build_stamp;
  words.set_text(kBuildStamp, printable(stamp), kBuildStampBytes);
  return std::make_unique<AxiVersion>(config.start);
}

}  // namespace softfeb::board
