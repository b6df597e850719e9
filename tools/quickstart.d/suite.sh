# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs all tests in two builds, gcc's and clang's with sanitizers. The last line sums up meson's counts.

broken=0

# idle COMMAND: runs it when no other process wants the CPU.
idle() {
  chrt --idle --pid 0 "$BASHPID" 2>/dev/null || renice -n 19 "$BASHPID" >/dev/null
  "$@"
}

# run_tests DIR [options of meson test]
run_tests() {
  local dir=$1 began=$SECONDS
  shift
  # Failures are counted below, from meson's logs.
  meson test -C "$dir" --no-rebuild --print-errorlogs "$@" || true
  say "$dir: tested in $((SECONDS - began)) s"
}

# The fuzzers run for a fixed time, while clang parses what the sanitizer build does not compile.
start_fuzzers() {
  rm -f build-sanitize/meson-logs/*log.json
  nice -n 5 meson test -C build-sanitize --no-rebuild --suite fuzz --logbase fuzzlog --print-errorlogs \
    >build-logs/fuzz.log 2>&1 &
  fuzz_pid=$!
}

finish_fuzzers() {
  wait "$fuzz_pid" || cat build-logs/fuzz.log >&2
}

# The sanitized tests are CPU-bound, while those of the first build mostly wait, one at a time. They run side by side;
# the sanitized ones only use idle CPU time. Tests that measure run before, alone.
start_sanitized_tests() {
  idle meson test -C build-sanitize --no-rebuild --no-suite fuzz --timeout-multiplier 4 --print-errorlogs \
    >build-logs/sanitized-tests.log 2>&1 &
  sanitized_pid=$!
}

finish_sanitized_tests() {
  wait "$sanitized_pid" || true
  cat build-logs/sanitized-tests.log
}

# The guest image of the interop tests is built from Debian packages, in parallel with the compilation.
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

  # ASan, UBSan and libFuzzer for the sans-I/O libraries, which parse packets from the network.
  CXX=clang++ configure build-sanitize -Dcore_only=true -Dfuzzers=true -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false
  compile build-sanitize || broken=$((broken + 1))

  start_fuzzers
  # A second compiler, for its warnings.
  CXX=clang++ configure build-clang -Dbuildtype=plain -Dtests=false
  tools/check-clang build-clang build-sanitize || broken=$((broken + 1))

  finish_guest_image
  finish_fuzzers
  run_tests build --suite timing --logbase timinglog
  start_sanitized_tests
  # The lab in virtual time must give the same bytes in both builds.
  SOFTFEB_BUILDS="$PWD/build-sanitize" run_tests build --no-suite timing
  finish_sanitized_tests
  say "the suite took $((SECONDS - began)) s; logs: build-logs, build/meson-logs, build-sanitize/meson-logs"
  tools/count-tests --broken-builds "$broken" build build-sanitize
}
