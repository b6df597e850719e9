// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/fields.hpp"

#include <map>
#include <set>
#include <string>

#include <catch2/catch.hpp>

using namespace softfeb::dcqcn;

namespace {

template <class Parameters>
void check_table() {
  std::set<std::string_view> names;
  Parameters highest;
  for (const auto& field : fields_of<Parameters>()) {
    INFO(field.name);
    CHECK(names.insert(field.name).second);
    if (!field.alias.empty()) CHECK(names.insert(field.alias).second);
    CHECK_FALSE(field.text.empty());
    CHECK(field.words.empty() == (field.unit != Unit::kWord));
    if (field.unit == Unit::kWord) CHECK(field.words.size() == field.highest + 1);
    CHECK(field.get(Parameters{}) <= field.highest);

    // Setting a field must change this field and no other.
    Parameters p;
    const std::uint64_t value = field.get(p) == 0 ? 1 : 0;
    field.set(p, value);
    for (const auto& other : fields_of<Parameters>())
      CHECK(other.get(p) == (other.name == field.name ? value : other.get(Parameters{})));
    field.set(highest, field.highest);
  }
  for (const auto& field : fields_of<Parameters>()) {
    INFO(field.name);
    CHECK(field.get(highest) == field.highest);
  }
}

}  // namespace

TEST_CASE("fields: the firmware's table names every parameter once") { check_table<FirmwareParameters>(); }

TEST_CASE("fields: the paper's table names every parameter once") { check_table<PaperParameters>(); }

TEST_CASE("fields: parameters pass through the words of their registers") {
  FirmwareParameters p{.alpha_g = 0x2aa,
                       .dec_gain = 9,
                       .time_stage_threshold = 0xa5,
                       .clamp_tgt_rate = true,
                       .dcqcn_bypass = true,
                       .rate_dec_interval = 0x1234,
                       .alpha_upd_interval = 0x5678,
                       .rate_inc_interval = 0x9abc'def0,
                       .rai = 1,
                       .rhai = 0xffff'ffff,
                       .rmin = 0x8000'0001};
  std::map<std::uint32_t, std::uint32_t> words;
  for (const FirmwareField& f : firmware_fields()) {
    std::uint32_t& word = words[f.bits.offset];
    word = f.bits.put(word, static_cast<std::uint32_t>(f.get(p)));
  }
  CHECK(words[0x00] == (0x2aaU | 9U << 10 | 0xa5U << 14 | 1U << 22));
  CHECK(words[0x14] == 0x5678'1234);
  FirmwareParameters back;
  for (const FirmwareField& f : firmware_fields()) f.set(back, f.bits.get(words[f.bits.offset]));
  CHECK(back == p);
}

TEST_CASE("fields: no two parameters share a bit, and each register holds its largest value") {
  std::map<std::uint32_t, std::uint32_t> used;
  for (const FirmwareField& f : firmware_fields()) {
    INFO(f.name);
    const std::uint32_t mask = f.bits.put(0, UINT32_MAX);
    CHECK((used[f.bits.offset] & mask) == 0);
    used[f.bits.offset] |= mask;
    CHECK(f.highest == f.bits.highest());
    CHECK(std::string(f.bits.name) != "");
  }
}

TEST_CASE("fields: a value is cut to its register") {
  const RegisterBits bits{"DecGain", 0, 10, 4};
  CHECK(bits.put(0xffff'ffff, 0) == 0xffff'c3ff);
  CHECK(bits.put(0, 0x1f) == 0xfU << 10);
}
