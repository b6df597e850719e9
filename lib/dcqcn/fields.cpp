// SPDX-License-Identifier: BSD-3-Clause
#include "dcqcn/fields.hpp"

namespace softfeb::dcqcn {
namespace {

template <auto Member>
struct Access;

template <class P, class V, V P::*Member>
struct Access<Member> {
  using Parameters = P;
  static std::uint64_t get(const P& p) { return static_cast<std::uint64_t>(p.*Member); }
  static void set(P& p, std::uint64_t value) { p.*Member = static_cast<V>(value); }
};

template <auto Member>
constexpr auto field(const FieldInfo& info) {
  using A = Access<Member>;
  return Field<typename A::Parameters>{info, A::get, A::set};
}

/// A firmware parameter, whose maximum is the largest value that fits its register.
template <auto Member>
constexpr FirmwareField in_register(std::string_view name, Unit unit, const RegisterBits& bits,
                                    std::string_view text) {
  return field<Member>({.name = name, .unit = unit, .highest = bits.highest(), .bits = bits, .text = text});
}

using F = FirmwareParameters;
constexpr FirmwareField kFirmware[] = {
    in_register<&F::alpha_g>("alpha_g", Unit::kCount, {"AlphaG", 0x00, 0, 10}, "1024·(1−g)"),
    in_register<&F::dec_gain>("dec_gain", Unit::kCount, {"DecGain", 0x00, 10, 4},
                              "a cut subtracts Rc·α/2^n from Rc"),
    in_register<&F::time_stage_threshold>("time_stage_threshold", Unit::kCount,
                                          {"TimeStageThreshold", 0x00, 14, 8},
                                          "number of the additive increase; 0 counts as 256"),
    in_register<&F::clamp_tgt_rate>("clamp_tgt_rate", Unit::kSwitch, {"ClampTgtRate", 0x00, 22, 1},
                                    "true: every cut sets Rt to Rc"),
    in_register<&F::dcqcn_bypass>("dcqcn_bypass", Unit::kSwitch, {"DcqcnBypass", kBypassOffset, 0, 1},
                                  "true: Rc stays at line rate, and CNPs are only counted"),
    in_register<&F::rate_dec_interval>("rate_dec_interval", Unit::kClocks, {"RateDecInterval", 0x14, 0, 16},
                                       "time between two cuts"),
    in_register<&F::alpha_upd_interval>("alpha_upd_interval", Unit::kClocks,
                                        {"AlphaUpdInterval", 0x14, 16, 16}, "time between two updates of α"),
    in_register<&F::rate_inc_interval>("rate_inc_interval", Unit::kClocks, {"RateIncInterval", 0x10, 0, 32},
                                       "time between two increases"),
    in_register<&F::rai>("rai", Unit::kRate, {"Rai", 0x04, 0, 32}, "amount of an additive increase"),
    in_register<&F::rhai>("rhai", Unit::kRate, {"Rhai", 0x08, 0, 32}, "amount of a hyper increase"),
    in_register<&F::rmin>("rmin", Unit::kRate, {"Rmin", 0x0c, 0, 32}, "lowest rate after a cut"),
};

constexpr std::string_view kAlphaUpdates[] = {"at_cut", "each_period"};
static_assert(static_cast<int>(PaperParameters::AlphaUpdate::kAtCut) == 0 &&
              static_cast<int>(PaperParameters::AlphaUpdate::kEachPeriod) == 1);

using P = PaperParameters;
constexpr PaperField kPaper[] = {
    field<&P::line_rate>(
        {.name = "line_rate", .alias = "rpg_max_rate", .unit = Unit::kRate, .text = "highest rate"}),
    field<&P::min_rate>(
        {.name = "min_rate", .alias = "rpg_min_rate", .unit = Unit::kRate, .text = "lowest rate"}),
    field<&P::one_minus_g>(
        {.name = "one_minus_g", .alias = "dce_tcp_g", .highest = 1024, .text = "1024·(1−g)"}),
    field<&P::initial_alpha>({.name = "initial_alpha",
                              .alias = "initial_alpha_value",
                              .highest = 1024,
                              .text = "α at the start, in units of 1/1024"}),
    field<&P::alpha_update>({.name = "alpha_update",
                             .unit = Unit::kWord,
                             .highest = 1,
                             .text = "when CNPs raise α: at_cut (paper) or each_period (NICs)",
                             .words = kAlphaUpdates}),
    field<&P::alpha_interval>({.name = "alpha_interval",
                               .alias = "dce_tcp_rtt",
                               .unit = Unit::kTime,
                               .text = "time between two updates of α; 0: α does not decay"}),
    field<&P::increase_timer>({.name = "increase_timer",
                               .alias = "rpg_time_reset",
                               .unit = Unit::kTime,
                               .text = "time between two increases; 0: no timer"}),
    field<&P::byte_counter>({.name = "byte_counter",
                             .alias = "rpg_byte_reset",
                             .unit = Unit::kSize,
                             .text = "bytes between two increases; 0: no byte counter"}),
    field<&P::fast_recovery_steps>({.name = "fast_recovery_steps",
                                    .alias = "rpg_threshold",
                                    .highest = 255,
                                    .text = "number of the first additive increase"}),
    field<&P::additive_step>({.name = "additive_step",
                              .alias = "rpg_ai_rate",
                              .unit = Unit::kRate,
                              .text = "amount of an additive increase"}),
    field<&P::hyper_step>({.name = "hyper_step",
                           .alias = "rpg_hai_rate",
                           .unit = Unit::kRate,
                           .text = "amount of a hyper increase"}),
    field<&P::hyper_step_after_timer>({.name = "hyper_step_after_timer",
                                       .unit = Unit::kSwitch,
                                       .highest = 1,
                                       .text = "true: the timer alone can lead to hyper increases"}),
    field<&P::decrease_interval>({.name = "decrease_interval",
                                  .alias = "rate_reduce_monitor_period",
                                  .unit = Unit::kTime,
                                  .text = "minimum time between two cuts"}),
    field<&P::gd>(
        {.name = "gd", .alias = "rpg_gd", .highest = 20, .text = "a cut subtracts Rc·α·1024/2^n from Rc"}),
    field<&P::min_decrease_factor>({.name = "min_decrease_factor",
                                    .alias = "rpg_min_dec_fac",
                                    .highest = 100,
                                    .text = "minimum percentage of Rc that remains after a cut"}),
    field<&P::clamp_target_rate>({.name = "clamp_target_rate",
                                  .alias = "clamp_tgt_rate",
                                  .unit = Unit::kSwitch,
                                  .highest = 1,
                                  .text = "true: every cut sets Rt to Rc"}),
    field<&P::clamp_target_rate_after_timer>(
        {.name = "clamp_target_rate_after_timer",
         .alias = "clamp_tgt_rate_after_time_inc",
         .unit = Unit::kSwitch,
         .highest = 1,
         .text = "true: a cut sets Rt to Rc also if the timer alone caused the increases"}),
    field<&P::rate_on_first_cnp>({.name = "rate_on_first_cnp",
                                  .alias = "rate_to_set_on_first_cnp",
                                  .unit = Unit::kRate,
                                  .text = "highest Rc after the first CNP",
                                  .optional = true}),
};

}  // namespace

std::span<const FirmwareField> firmware_fields() { return kFirmware; }
std::span<const PaperField> paper_fields() { return kPaper; }

}  // namespace softfeb::dcqcn
