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

# clang's view of the tree: ASan, UBSan and libFuzzer for the sans-I/O libraries, which parse packets from the network, and
# its warnings for everything else. Compiling and running them takes only CPU time that the tests of the first build leave
# idle: those mostly wait, one at a time.
start_clang_builds() {
  CXX=clang++ configure build-sanitize -Dcore_only=true -Dfuzzers=true -Doptimization=1 \
    -Db_sanitize=address,undefined -Db_lundef=false
  CXX=clang++ configure build-clang -Dbuildtype=plain -Dtests=false
  rm -f build-sanitize/meson-logs/*log.json
  idle run_clang_builds &
  clang_pid=$!
}

run_clang_builds() {
  local failed=0
  compile build-sanitize || failed=1
  tools/check-clang build-clang build-sanitize || failed=1
  meson test -C build-sanitize --no-rebuild --suite fuzz --logbase fuzzlog --timeout-multiplier 4 --print-errorlogs >build-logs/fuzz.log 2>&1 ||
    cat build-logs/fuzz.log >&2
  meson test -C build-sanitize --no-rebuild --no-suite fuzz --timeout-multiplier 4 --print-errorlogs \
    >build-logs/sanitized-tests.log 2>&1 || true
  return $failed
}

finish_clang_builds() {
  wait "$clang_pid" || broken=$((broken + 1))
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
  finish_guest_image

  start_clang_builds
  run_tests build --no-suite builds
  finish_clang_builds
  # The lab in virtual time must give the same bytes in both builds.
  SOFTFEB_BUILDS="$PWD/build-sanitize" run_tests build --suite builds --logbase buildslog
  say "the suite took $((SECONDS - began)) s; logs: build-logs, build/meson-logs, build-sanitize/meson-logs"
  tools/count-tests --broken-builds "$broken" build build-sanitize
}
