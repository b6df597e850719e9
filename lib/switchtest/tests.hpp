// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

/// The tests of a switch. doc/switch-tests.md explains each test.
namespace softfeb::switchtest {

class Context;

struct SwitchTest {
  std::string_view name;
  std::string_view title;  ///< what the test measures, in words
  unsigned ports = 2;      ///< minimum number of rig ports
  void (*run)(Context&) = nullptr;
  bool on_request = false;  ///< runs only if the user selects it by name
};

/// Returns all tests, in the order in which they run: later tests use the findings of earlier ones.
std::span<const SwitchTest> all_tests();
/// Returns nullptr if there is no such test.
const SwitchTest* find_test(std::string_view name);

/// Finds out which pause frames of port D the switch obeys, which pause frames the switch sends to A, and
/// which PFC priority stops which DSCP. Stores these results in Context::findings. The preflight runs before
/// all tests.
void run_preflight(Context& ctx);

// Each test is in the source file with its name. A test adds figures and curves to Context::report, and
// stores the results that later tests need in Context::findings.
void run_dscp(Context& ctx);
void run_mtu(Context& ctx);
void run_throughput(Context& ctx);
void run_latency(Context& ctx);
void run_burst(Context& ctx);
void run_buffer(Context& ctx);
void run_ecn(Context& ctx);
void run_xoff(Context& ctx);
void run_cells(Context& ctx);
void run_codepoints(Context& ctx);
void run_headroom(Context& ctx);
void run_obedience(Context& ctx);
void run_scheduler(Context& ctx);
void run_incast(Context& ctx);
void run_fairness(Context& ctx);
void run_victim(Context& ctx);
void run_storm(Context& ctx);
void run_ecmp(Context& ctx);
void run_order(Context& ctx);
void run_dcqcn(Context& ctx);
void run_soak(Context& ctx);

}  // namespace softfeb::switchtest
