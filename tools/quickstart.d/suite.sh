# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Runs all tests in three builds. The last line sums up meson's counts.

# Build directories with results, for tools/count-tests.
results=()
broken=0

# run_tests DIR [options of meson test]
run_tests() {
  local dir=$1 began=$SECONDS
  shift
  rm -f "$dir/meson-logs/testlog.json"
  # Failures are counted below, from meson's logs.
  meson test -C "$dir" --no-rebuild --print-errorlogs "$@" || true
  results+=("$dir")
  say "$dir: tested in $((SECONDS - began)) s"
}

# The fuzzers run for a fixed time, in parallel with the compilation of the next build.
start_fuzzers() {
  rm -f build-sanitize/meson-logs/fuzzlog.json
  nice -n 5 meson test -C build-sanitize --no-rebuild --suite fuzz --logbase fuzzlog --print-errorlogs \
    >build-logs/fuzz.log 2>&1 &
  fuzz_pid=$!
}

finish_fuzzers() {
  wait "$fuzz_pid" || cat build-logs/fuzz.log >&2
}

# The sanitized tests are CPU-bound, while those of the first build mostly wait, one at a time. They run side by side;
# the sanitized ones only use idle CPU time.
start_sanitized_tests() {
  rm -f build-sanitize/meson-logs/testlog.json
  local -a behind=(nice -n 19)
  chrt --idle 0 true 2>/dev/null && behind=(chrt --idle 0)
  "${behind[@]}" meson test -C build-sanitize --no-rebuild --no-suite fuzz --timeout-multiplier 4 --print-errorlogs \
    >build-logs/sanitized-tests.log 2>&1 &
  sanitized_pid=$!
}

finish_sanitized_tests() {
  wait "$sanitized_pid" || true
  cat build-logs/sanitized-tests.log
  results+=(build-sanitize)
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
  start_guest_image
  compile build || broken=$((broken + 1))

  # clang, ASan, UBSan and libFuzzer for the sans-I/O libraries, which parse packets from the network.
  CXX=clang++ configure build-sanitize -Dcore_only=true -Dfuzzers=true -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false
  compile build-sanitize || broken=$((broken + 1))

  start_fuzzers

  # A second compiler, for its warnings only; therefore not optimised.
  CXX=clang++ configure build-clang -Dbuildtype=plain -Dtests=false
  compile build-clang || broken=$((broken + 1))

  finish_guest_image
  finish_fuzzers
  start_sanitized_tests
  # The lab in virtual time must give the same bytes in all builds.
  SOFTFEB_BUILDS="$PWD/build-sanitize $PWD/build-clang" run_tests build
  finish_sanitized_tests
  say "the suite took $((SECONDS - began)) s; logs: build-logs, build/meson-logs, build-sanitize/meson-logs"
  tools/count-tests --broken-builds "$broken" "${results[@]}"
}
