# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Everything that is tested, in three builds. The last line counts what meson counted.

# Each run's results are left here for tools/count-tests.
results=()
broken=0

# run_tests DIR [options of meson test]
run_tests() {
  local dir=$1 began=$SECONDS
  shift
  rm -f "$dir/meson-logs/testlog.json"
  # Failures are counted below, from what meson wrote.
  meson test -C "$dir" --no-rebuild --print-errorlogs "$@" || true
  results+=("$dir")
  say "$dir: tested in $((SECONDS - began)) s"
}

# The fuzzers run by the clock: their minutes pass while the compiler is busy with the build after theirs.
start_fuzzers() {
  rm -f build-sanitize/meson-logs/fuzzlog.json
  nice -n 5 meson test -C build-sanitize --no-rebuild --suite fuzz --logbase fuzzlog --print-errorlogs \
    >build-logs/fuzz.log 2>&1 &
  fuzz_pid=$!
}

finish_fuzzers() {
  wait "$fuzz_pid" || cat build-logs/fuzz.log >&2
}

# Those of the sanitizers compute, those of the first build mostly wait, one at a time: side by side, with what
# the others leave of the CPUs.
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

# The guest of the interop tests comes from Debian packages: fetched while the compiler is busy.
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

  # clang, ASan, UBSan and libFuzzer: the sans-I/O libraries, which is where packets from the network are read.
  CXX=clang++ configure build-sanitize -Dcore_only=true -Dfuzzers=true -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false
  compile build-sanitize || broken=$((broken + 1))

  start_fuzzers

  # Two compilers find more than one. Not optimised: only its warnings are wanted.
  CXX=clang++ configure build-clang -Dbuildtype=plain -Dtests=false
  compile build-clang || broken=$((broken + 1))

  finish_guest_image
  finish_fuzzers
  start_sanitized_tests
  # The lab in virtual time gives the same bytes in all of them.
  SOFTFEB_BUILDS="$PWD/build-sanitize $PWD/build-clang" run_tests build
  finish_sanitized_tests
  say "the suite took $((SECONDS - began)) s; logs: build-logs, build/meson-logs, build-sanitize/meson-logs"
  tools/count-tests --broken-builds "$broken" "${results[@]}"
}
