# SPDX-License-Identifier: BSD-3-Clause
"""softfeb conformance against the kernel's Soft-RoCE."""

import json

from softfeb import device
from softroce import ROOT, case

CONF = ROOT / "conf/conformance-softroce.yaml"


def conformance(lab, sink, *options, name="conformance"):
    """Runs softfeb conformance. Returns its exit status, its output and its result."""
    result = lab.dir / f"{name}.json"
    done = lab.host([lab.program("app/softfeb/softfeb"), "conformance", "-c", CONF, "--target", sink.url,
                     "--set", f"ports.0.device={device(lab)}", "--json", result, "--out", lab.dir / name, *options],
                    timeout=400, name=name)
    return done.returncode, done.stdout, json.loads(result.read_text()) if result.exists() else None


@case("tap")
def conformance_quick(lab):
    """All cases of level shall have the verdict that the profile of this kernel predicts."""
    with lab.sink("--memory", "16MiB") as sink:
        code, text, result = conformance(lab, sink, "--quick")
        print(text[-6000:])
        assert code == 0, text[-2000:]
