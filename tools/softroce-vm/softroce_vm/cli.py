# SPDX-License-Identifier: BSD-3-Clause
"""The command line: softroce-vm build | up | run | push | pull | neigh | status | log | down."""

import argparse
import json
import sys

from . import image
from .errors import GuestError, UsageError, VmError
from .guest import Guest
from .options import MODES, PERFTEST_PORT, SINK_PORT, Options
from .process import Timeout

EPILOG = """\
examples:
  softroce-vm up --mode vhostsrv --neigh 10.77.0.100=02:00:00:00:00:01
  softroce-vm run -- rdma link
  softroce-vm run -t 120 'ib_write_bw -d rxe0 -x 1 --report_gbits'
  softroce-vm down

exit codes: 0 done; 1 the guest failed; 2 wrong usage; 3 this machine lacks something (the message names the fix).
`run` answers with the command's own exit code, 124 after its time, 125 where the guest cannot be reached.
"""


def parser():
    p = argparse.ArgumentParser(prog="softroce-vm", description="A Linux Soft-RoCE receiver in a QEMU guest.",
                                epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = p.add_subparsers(dest="command", required=True, metavar="COMMAND")

    c = sub.add_parser("build", help="build the image (up does it too, when it is missing or stale)")
    c.add_argument("--force", action="store_true", help="build again, with the newest packages apt knows")

    c = sub.add_parser("up", help="boot a guest")
    d = Options()
    c.add_argument("name", nargs="?", default=d.name, metavar="NAME", help=f"default {d.name}")
    c.add_argument("--mode", choices=MODES, default=d.mode,
                   help="network of eth0: tap (needs root), vhost (QEMU is the vhost-user client), vhostsrv (QEMU is "
                        "the vhost-user server); default tap")
    c.add_argument("--ip", default=d.ip, metavar="ADDR/LEN", help=f"of eth0, default {d.ip}")
    c.add_argument("--mac", default=d.mac, help=f"of eth0, default {d.mac}")
    c.add_argument("--mtu", type=int, default=d.mtu, help="of eth0, default 9000: RoCE path MTU 4096")
    c.add_argument("--memory", type=int, default=d.memory, metavar="MB", help="default 512")
    c.add_argument("--cpus", type=int, default=d.cpus, help="default 1")
    c.add_argument("--ifname", default="", help="tap interface; default sfv-NAME, made now and removed by down")
    c.add_argument("--socket", default="", metavar="PATH", help="vhost-user socket; default in the run directory")
    c.add_argument("--share", default="", metavar="DIR", help="host directory that appears as /mnt/host")
    c.add_argument("--forward", type=int, action="append", metavar="PORT",
                   help="TCP port of the guest to be reached on 127.0.0.1 (see status); again for more; "
                        f"{PERFTEST_PORT} (perftest) and {SINK_PORT} (rdma-sink) always are")
    c.add_argument("--neigh", action="append", default=[], metavar="IP=MAC", help="static neighbour on eth0")
    c.add_argument("--timeout", type=float, default=120.0, metavar="S", help="for the boot, default 120")

    c = sub.add_parser("run", help="run a command in the guest")
    c.add_argument("-g", "--guest", default=d.name, metavar="NAME")
    c.add_argument("-t", "--timeout", type=float, default=60.0, metavar="S", help="default 60; then it is killed")
    c.add_argument("words", nargs="+", metavar="COMMAND",
                   help="one word: given to the guest's shell; several: run as they are (put -- before them)")

    c = sub.add_parser("push", help="copy files into the guest")
    c.add_argument("-g", "--guest", default=d.name, metavar="NAME")
    c.add_argument("source", nargs="+")
    c.add_argument("target")

    c = sub.add_parser("pull", help="copy a file out of the guest")
    c.add_argument("-g", "--guest", default=d.name, metavar="NAME")
    c.add_argument("source")
    c.add_argument("target")

    c = sub.add_parser("neigh", help="set static neighbours on eth0")
    c.add_argument("-g", "--guest", default=d.name, metavar="NAME")
    c.add_argument("entry", nargs="+", metavar="IP=MAC")

    c = sub.add_parser("status", help="list the guests that run, with their ports")
    c.add_argument("--json", action="store_true")

    c = sub.add_parser("log", help="print console and QEMU output")
    c.add_argument("name", nargs="?", default=d.name)

    c = sub.add_parser("down", help="stop a guest")
    c.add_argument("name", nargs="?", default=d.name)
    c.add_argument("--all", action="store_true", help="every guest of this user")
    return p


def say(text):
    print(text, file=sys.stderr, flush=True)


def describe(guest):
    o = guest.options
    where = {"tap": f"tap {o.ifname}"}.get(o.mode, f"socket {guest.paths.vhost}")
    ports = ", ".join(f"{k} at 127.0.0.1:{v}" for k, v in guest.state["forwards"].items() if int(k) in o.forward)
    return f"{guest.name}: pid {guest.pid}, {o.mode}, {where}, {o.ip} {o.mac} MTU {o.mtu}; {ports}"


def describe_json(guest):
    return {"name": guest.name, "pid": guest.pid, "mode": guest.options.mode, "ip": guest.options.ip,
            "mac": guest.options.mac, "mtu": guest.options.mtu, "ifname": guest.options.ifname,
            "socket": str(guest.paths.vhost), "ports": guest.state["forwards"]}


def run(args):
    def relay(kind, data):
        stream = sys.stdout if kind == "out" else sys.stderr
        stream.buffer.write(data)
        stream.flush()

    words = args.words[0] if len(args.words) == 1 else args.words
    stdin = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.raw
    try:
        return Guest.attach(args.guest).popen(words, stdin=stdin, on_output=relay).wait(args.timeout).code
    except Timeout:
        say(f"softroce-vm: killed after {args.timeout:g} s")
        return 124
    except (GuestError, UsageError, OSError) as e:
        say(f"softroce-vm: {e}")
        return 125


def dispatch(args):
    if args.command == "build":
        built = image.ensure(force=args.force, say=say)
        print(built.base)
    elif args.command == "up":
        settings = {k: v for k, v in vars(args).items() if k not in ("command", "timeout", "forward")}
        forward = Options().forward + (args.forward or [])
        print(describe(Guest.up(timeout=args.timeout, say=say, forward=forward, **settings)))
    elif args.command == "run":
        return run(args)
    elif args.command == "push":
        for source in args.source:
            Guest.attach(args.guest).push(source, args.target)
    elif args.command == "pull":
        Guest.attach(args.guest).pull(args.source, args.target)
    elif args.command == "neigh":
        for entry in args.entry:
            Guest.attach(args.guest).neighbour(entry)
    elif args.command == "status":
        guests = Guest.all()
        print(json.dumps([describe_json(g) for g in guests]) if args.json
              else "\n".join(map(describe, guests)) or "no guest runs")
    elif args.command == "log":
        paths = Guest.attach(args.name).paths
        print(paths.console.read_text(errors="replace") + paths.log.read_text(errors="replace"), end="")
    elif args.command == "down":
        for guest in Guest.all() if args.all else [Guest.attach(args.name)]:
            guest.down()
    return 0


def main():
    try:
        return dispatch(parser().parse_args())
    except VmError as e:
        say(f"softroce-vm: {e}")
        return e.exit_code
    except OSError as e:
        say(f"softroce-vm: {e}")
        return 1
    except KeyboardInterrupt:
        return 130
