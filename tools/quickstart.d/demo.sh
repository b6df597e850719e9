# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# ./quickstart demo: a board writes a random file by RDMA into a receiver's memory, over DPDK, in one process.

run_demo() {
  local dir=softfeb-report sent received status=0
  sent=$dir/sent.bin received=$dir/received.bin
  if ! mkdir -p "$dir" || ! rm -f "$sent" "$received" "$dir/result.json"; then
    die 3 "cannot write to $PWD/$dir, which may belong to another user" "fix: sudo rm -r $PWD/$dir"
  fi
  # The content is random, so that a file of an earlier run cannot pass for this one. conf/demo.yaml expects a size of 64 MiB.
  head -c $((64 << 20)) /dev/urandom >"$sent"
  say "a board sends $sent (64 MiB) to a receiver by RDMA WRITE: softfeb run -c conf/demo.yaml"
  build/app/softfeb/softfeb run -c conf/demo.yaml --json "$dir/result.json" \
    --set "boards.feb0.qps.0.traffic.payload.file=$sent" --set "receivers.daq.out=$received" || status=$?
  [ "$status" -eq 0 ] || die "$status" "softfeb run exited with status $status"
  cmp "$sent" "$received" || die 1 "$received differs from the file sent"
  say "received and compared: $(sha256sum <"$received" | cut -c1-64)"
  say "result: $dir/result.json   file: $received   next: build/app/softfeb/softfeb run -c conf/board.yaml"
}
