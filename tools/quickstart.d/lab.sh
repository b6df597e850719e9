# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# ./quickstart: runs boards, an ECN switch and a receiver in one process, and writes a report.

run_lab() {
  local dir=softfeb-report status=0
  # Remove the results of earlier runs, so that they cannot be confused with those of this run.
  if ! mkdir -p "$dir" || ! rm -f "$dir"/{result.json,index.html,series.csv,ports.csv,queues.csv,windows.csv}; then
    die 3 "cannot write to $PWD/$dir, which may belong to another user" "fix: sudo rm -r $PWD/$dir"
  fi
  say "three boards send into one port of a switch: softfeb lab -c conf/lab/incast.yaml --report $dir"
  build/app/softfeb/softfeb lab -c conf/lab/incast.yaml --report "$dir" || status=$?
  [ "$status" -eq 0 ] || die "$status" "softfeb lab exited with status $status"
  [ -s "$dir/result.json" ] || die 1 "softfeb lab did not write $dir/result.json"
  say "exit status 0: all required checks held"
  if [ -s "$dir/index.html" ]; then
    say "report: $PWD/$dir/index.html   (charts as PNG and SVG, CSV, result.json beside it)"
  else
    say "report: $PWD/$dir/result.json and CSV files; no charts, see above"
  fi
  say "more: build/app/softfeb/softfeb lab -c conf/lab/incast-no-dcqcn.yaml; doc/lab.md; ./quickstart demo"
}
