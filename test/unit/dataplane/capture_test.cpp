// SPDX-License-Identifier: BSD-3-Clause
#include "dataplane/capture.hpp"

#include "dataplane/error.hpp"
#include "roce_frame.hpp"
#include "shell.hpp"
#include "temporary_directory.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

using namespace softfeb;
using namespace softfeb::dataplane;

namespace {

std::vector<std::uint8_t> slurp(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("a capture keeps the first packets and cuts long ones", "[dataplane][capture]") {
  CaptureConfig config;
  config.packets = 3;
  config.snap_length = 50;
  Capture capture(config);
  const std::vector<std::uint8_t> frame = test::roce_frame();
  Segments chain{ByteSpan(frame).first(40)};
  chain.push(ByteSpan(frame).subspan(40));
  for (Time t = 1; t <= 5; ++t) capture.record(t, chain);
  CHECK_FALSE(capture.wants());
  REQUIRE(capture.size() == 3);
  CHECK(capture.packet(2).time == 3);
  CHECK(capture.packet(0).original_length == frame.size());
  CHECK(std::equal(frame.begin(), frame.begin() + 50, capture.packet(0).bytes.begin(),
                   capture.packet(0).bytes.end()));
}

TEST_CASE("a capture on error keeps the packets around it", "[dataplane][capture]") {
  CaptureConfig config;
  config.mode = CaptureMode::kOnError;
  config.packets = 8;
  Capture capture(config);
  const std::vector<std::uint8_t> frame(60);
  for (Time t = 1; t <= 20; ++t) capture.record(t, ByteSpan(frame));
  CHECK(capture.wants());
  CHECK(capture.size() == 0);  // before the trigger, no frame counts as captured
  capture.trigger();
  for (Time t = 21; t <= 30; ++t) {
    capture.record(t, ByteSpan(frame));
    capture.trigger();
  }
  REQUIRE(capture.size() == 8);
  CHECK(capture.packet(0).time == 15);
  CHECK(capture.packet(7).time == 22);
}

TEST_CASE("captures of several workers become one pcap file in order", "[dataplane][capture]") {
  const test::TemporaryDirectory dir;
  CaptureConfig config;
  config.packets = 10;
  Capture a(config);
  Capture b(config);
  const auto frame = test::roce_frame({false, false, 16, 0x11, 77});
  a.record(1'500'000'000'007, ByteSpan(frame));  // 1.5 s and 7 ps
  b.record(3 * kNanosecond, ByteSpan(frame));
  const std::array<const Capture*, 2> both{&a, &b};
  const auto path = dir.path() / "out.pcap";
  REQUIRE(write_pcap(path, both, 10'999'999'999) == 2);

  const auto file = slurp(path);
  REQUIRE(file.size() == 24 + 2 * (16 + frame.size()));
  CHECK(load_le32(&file[0]) == 0xa1b23c4d);
  CHECK(load_le32(&file[20]) == 1);
  const std::uint8_t* first = &file[24];
  CHECK(load_le32(first) == 11);
  CHECK(load_le32(first + 4) == 2);
  CHECK(load_le32(first + 8) == frame.size());
  CHECK(load_le32(first + 12) == frame.size());
  CHECK(std::equal(frame.begin(), frame.end(), first + 16));
  const std::uint8_t* second = first + 16 + frame.size();
  CHECK(load_le32(second) == 12);
  CHECK(load_le32(second + 4) == 499'999'999);
  CHECK(std::distance(std::filesystem::directory_iterator(dir.path()), {}) ==
        1);  // the folder contains no temporary file

  CHECK_THROWS_WITH(write_pcap("/nowhere/x.pcap", both, 0), Catch::Contains("/nowhere/x.pcap"));

  // Check the file with an independent program.
  if (test::run("tshark --version") != 0) {
    WARN("tshark is not installed: the file was checked by ourselves alone");
    return;
  }
  const auto fields = dir.path() / "fields";
  REQUIRE(std::system(("HOME=" + dir.path().string() + " tshark -r " + path.string() +
                       " -T fields -e infiniband.bth.psn -e frame.time_epoch > " + fields.string() +
                       " 2>/dev/null")
                          .c_str()) == 0);
  const auto text = slurp(fields);
  CHECK(std::string(text.begin(), text.end()) == "77\t11.000000002\n77\t12.499999999\n");
}
