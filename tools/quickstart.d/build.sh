# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sets up and compiles the build directories: build (gcc, for users), and those of the test suite. If ccache is installed, meson
# uses it.

# With CCACHE_DEPEND, ccache takes the list of headers from the compiler and need not run the preprocessor on a miss. Files with
# a precompiled header are cached only with pch_defines and time_macros, because ccache cannot check the macros of that header.
export CCACHE_DEPEND=1
export CCACHE_SLOPPINESS="${CCACHE_SLOPPINESS-pch_defines,time_macros}"
# Selects lld, which links in a quarter of the time of ld.bfd and in half the time of gold. Called after the packages have been
# installed.
choose_linker() {
  if command -v ld.lld >/dev/null; then
    export CXX_LD="${CXX_LD-lld}"
  fi
}

# configure DIR [meson options]: sets up DIR, unless it already has these options. Uses unity builds, which compile each library
# as one unit, because the compiler spends most of its time on headers.
configure() {
  local dir=$1
  shift
  choose_linker
  mkdir -p "$dir" build-logs 2>/dev/null || true
  if ! [ -w "$dir" ] || ! [ -w build-logs ]; then
    die 3 "cannot write to $PWD/$dir or $PWD/build-logs, which may belong to another user" "fix:  sudo rm -r $PWD/build*"
  fi
  local wish
  wish="${CXX-c++} ${CXX_LD-ld} unity 80 $*"
  if [ -f "$dir/build.ninja" ] && [ "$(cat "$dir/.configured" 2>/dev/null)" = "$wish" ]; then
    return
  fi
  rm -rf "$dir"
  meson setup "$dir" -Dunity=on -Dunity_size=80 "$@" >"build-logs/$dir.setup.log" 2>&1 || {
    tail -n 20 "build-logs/$dir.setup.log" >&2
    die 3 "meson setup $dir failed; its output is in build-logs/$dir.setup.log"
  }
  echo "$wish" >"$dir/.configured"
}

# show_progress DIR: reads ninja's output. On a terminal, shows the number of the last step in a line that is deleted at the end.
show_progress() {
  local line
  while IFS= read -r line; do
    if [ -t 1 ] && [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]]; then
      printf '\r   %s: step %d of %d ' "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}

# compile DIR [targets]: prints the compiler's errors and returns 1 if something does not compile.
compile() {
  local dir=$1 log="build-logs/$1.compile.log" began=$SECONDS
  shift
  say "$dir: compiling; this takes minutes if little is in the compiler cache; log: $log"
  if ! ninja -C "$dir" "$@" 2>&1 | tee "$log" | show_progress "$dir"; then
    grep -vE '^\[[0-9]+/[0-9]+\]|^ninja: Entering' "$log" | head -n 60 >&2
    printf 'quickstart: %s does not compile; the full log is in %s\n' "$dir" "$log" >&2
    return 1
  fi
  say "$dir: compiled in $((SECONDS - began)) s"
}

# Compiles only softfeb, because the demonstrations need no other program.
build_softfeb() {
  configure build
  compile build app/softfeb/softfeb || exit 1
}

# Compiles febctl and rdma-sink. Called after the demonstration has printed its results.
build_other_programs() {
  say "compiling febctl and rdma-sink"
  compile build programs || exit 1
}
