# SPDX-License-Identifier: BSD-3-Clause
"""Properties of the ports of the network, taken from the resolved configuration."""

import style
from units import number


def bottleneck(folder):
    name = folder.lab.get("bottleneck") or (folder.result.get("lab") or {}).get("bottleneck") or None
    if name is None and folder.ports is not None:
        ports = folder.each_port()
        name = max(sorted(ports), key=lambda n: ports[n]["queue_bytes"].sum())
    return name


def switches(folder):
    found = (folder.config.get("network") or {}).get("switches") or []
    return {s.get("name"): s for s in found if isinstance(s, dict)}


def link_rate(folder, port):
    """Returns the rate of the link at a port "switch.peer" in Gb/s, or None if there is no such link."""
    here, _, peer = port.partition(".")
    for link in (folder.config.get("network") or {}).get("links") or []:
        ends = [str(e) for e in link.get("ends") or []]
        if here in ends and any(covers(e, peer) for e in ends if e != here):
            return number(link.get("rate"))
    return None


def covers(end, name):
    """Returns whether an end of a link includes the station `name`. The end is a name, the name of a group, or a range first..last."""
    first, dots, last = end.partition("..")
    if not dots:
        return end == name or (name.startswith(end) and name[len(end):].lstrip("-").isdigit())
    stem = first.rstrip("0123456789")
    digits = name[len(stem):]
    return name.startswith(stem) and digits.isdigit() and int(first[len(stem):]) <= int(digits) <= int(last[len(stem):])


def markings(switch):
    """Returns [{kmin, kmax}] with the marking thresholds of a switch and of its queues."""
    found = [switch.get("ecn")] + [q for q in switch.get("queues") or [] if isinstance(q, dict)]
    found += [q.get("ecn") for q in switch.get("queues") or [] if isinstance(q, dict)]
    return [m for m in found if isinstance(m, dict) and m.get("kmin") is not None]


def thresholds(folder, port):
    """Returns [(label, bytes, colour)] of the thresholds that apply to a port. All ports of a switch have the same thresholds."""
    switch = switches(folder).get(port.partition(".")[0])
    if switch is None:
        return []
    lines = []
    for marking in markings(switch):
        for key, text in (("kmin", "Kmin"), ("kmax", "Kmax")):
            value = number(marking.get(key))
            if value is not None:
                lines.append((text, value, style.SERIES[2] if key == "kmin" else style.SERIES[1]))
    for key, text in (("port_limit", "port limit"), ("buffer", "buffer")):
        value = number(switch.get(key))
        if value:
            lines.append((text, value, style.BAD))
    return list(dict.fromkeys(lines))
