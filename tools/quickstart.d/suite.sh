# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs all tests in two builds: with gcc, and with clang and sanitizers. The last line sums up meson's counts.

broken=0
# Suites that are not run here, because their tests take long or need more of the machine (CONTRIBUTING.md).
separate=(systemd packages thorough)

# idle COMMAND: runs COMMAND only while no other process needs the CPU.
idle() {
  chrt --idle --pid 0 "$BASHPID" 2>/dev/null || renice -n 19 "$BASHPID" >/dev/null
  "$@"
}

# run_tests DIR [options of meson test]
run_tests() {
  local dir=$1 began=$SECONDS
  shift
  # Ignore the status: count-tests counts the failures later, from meson's logs.
  meson test -C "$dir" --no-rebuild --print-errorlogs "$@" || true
  say "$dir: tested in $((SECONDS - began)) s"
}

# Makes and tests the second build: the sans-I/O libraries, which parse packets from the network, with clang, ASan, UBSan and
# libFuzzer. It also contains examples/ns3, which needs core_only. All other code is only checked for clang's warnings.
second_build() {
  CXX=clang++ configure build-sanitize -Dcore_only=true -Dfuzzers=true -Dns3=auto \
    -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false
  rm -f build-sanitize/meson-logs/*log.json
  compile build-sanitize || return 1
  local fine=0
  # The fuzzers take a fixed time, so run them in parallel with the check for warnings.
  meson test -C build-sanitize --no-rebuild --suite fuzz --logbase fuzzlog --timeout-multiplier 4 --print-errorlogs \
    >build-logs/fuzz.log 2>&1 &
  local fuzz_pid=$!
  CXX=clang++ configure build-clang -Dbuildtype=plain -Dtests=false
  tools/check-clang build-clang build-sanitize || fine=1
  wait "$fuzz_pid" || cat build-logs/fuzz.log
  run_tests build-sanitize --no-suite fuzz --timeout-multiplier 4
  return "$fine"
}

# The second build is CPU-bound. The tests of the first build run one at a time and mostly wait, so the second build uses the CPU
# time that they leave idle.
start_second_build() {
  idle second_build >build-logs/second-build.log 2>&1 &
  second_pid=$!
}

finish_second_build() {
  wait "$second_pid" || broken=$((broken + 1))
  cat build-logs/second-build.log
}

# Builds the guest image of the interop tests from Debian packages, in parallel with the compilation.
start_guest_image() {
  mkdir -p build-logs
  nice tools/softroce-vm/softroce-vm build >build-logs/guest.log 2>&1 &
  guest_pid=$!
}

finish_guest_image() {
  wait "$guest_pid" && return
  cat build-logs/guest.log >&2
  say "no guest image: the tests that need it will fail"
}

run_suite() {
  local began=$SECONDS
  configure build
  rm -f build/meson-logs/*log.json
  start_guest_image
  compile build || broken=$((broken + 1))
  finish_guest_image
  # Tests that measure rates or latencies run without other load.
  run_tests build --suite timing --logbase timinglog
  start_second_build
  run_tests build --no-suite timing --no-suite builds "${separate[@]/#/--no-suite=}"
  finish_second_build
  # The lab in virtual time must give the same bytes in both builds.
  SOFTFEB_BUILDS="$PWD/build-sanitize" run_tests build --suite builds --logbase buildslog
  say "the suite took $((SECONDS - began)) s; logs: build-logs, build/meson-logs, build-sanitize/meson-logs"
  tools/count-tests --broken-builds "$broken" "${separate[@]/#/--without-suite=}" build build-sanitize
}
