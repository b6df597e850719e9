#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Tests the packages in /packages. Runs as root in a new Debian system: in_chroot.sh [TEST …]. Commands of
# users run as `tester`.
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
manual=/usr/share/doc/softfeb
failed=

# as_user COMMAND runs a line of shell as an ordinary user, in a new empty folder.
as_user() {
  folder=$(mktemp -d /home/tester/XXXXXX) && chown tester: "$folder"
  (cd "$folder" && setpriv --reuid tester --regid tester --clear-groups env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/home/tester \
    LC_ALL=C.UTF-8 sh -euc "$1")
}

# check NAME FUNCTION runs a test, unless the command line names tests and NAME is not one of them. The output
# is shown only if the test fails.
check() {
  case " $only " in "  " | *" $2 "*) ;; *) return 0 ;; esac
  began=$(date +%s)
  # Do not call the test in a condition, because the shell then ignores set -e.
  set +e
  (set -eux; "$2") >/tmp/output 2>&1
  status=$?
  set -e
  if [ $status -eq 0 ]; then
    echo "ok: $1 ($(($(date +%s) - began)) s)"
  else
    tail -n 40 /tmp/output
    echo "FAILED: $1"
    failed="$failed $2"
  fi
}

ours() { for file in /packages/*.deb; do dpkg-deb -f "$file" Package; done; }

# Installs the dependencies of softfeb's packages. A later comparison of the system without and with softfeb's packages
# then shows only the files of these packages.
install_dependencies() {
  ours >/tmp/ours
  apt-get -s install --install-recommends /packages/*.deb | awk '$1 == "Inst" { print $2 }' | grep -vxFf /tmp/ours >/tmp/needed
  # shellcheck disable=SC2046
  apt-get -q install -y --no-install-recommends $(cat /tmp/needed)
}

install_packages() { apt-get -q install -y --install-recommends /packages/*.deb; }

# On a busy machine, the verdict in real time may be inconclusive (exit status 1). The verdict in virtual time is never
# inconclusive.
incast() {
  as_user 'status=0; softfeb lab -c conf/lab/incast.yaml --report report >table 2>messages || status=$?
    cat table messages
    test $status -eq 0 || grep -q "^Real time: inconclusive" table
    grep "^Virtual time: held" table
    test -s report/result.json; test -s report/index.html; ls report/*.svg report/*.png'
}

virtual_bytes() {
  # shellcheck disable=SC2016
  as_user 'lab="lab -c conf/lab/leaf-spine.yaml --virtual --duration 1ms --quiet"
    softfeb $lab --json one.json || test $? -eq 1
    mpirun --oversubscribe -n 2 softfeb-mpi $lab --json two.json || test $? -eq 1
    test -s one.json; cmp one.json two.json'
}

doctor() { as_user 'softfeb doctor; softfeb doctor --json >doctor.json; python3 -m json.tool doctor.json'; }

registers() {
  # shellcheck disable=SC2016
  as_user 'softfeb run -c conf/board.yaml --duration 20 --quiet --json run.json & run=$!
    for try in 1 2 3 4 5 6 7 8 9 10; do
      sleep 1
      febctl --ip 127.0.0.1 dump AxiVersion >dump && break
    done
    cat dump; grep -i version dump; wait $run; test -s run.json'
}

profiles() { as_user 'softfeb conformance --cases PSN --out report --quiet; test -s report/result.json'; }

switch_test() { as_user 'softfeb switch-test -c conf/switch-test/v1-plain.yaml --only dscp --profile quick --quiet || test $? -eq 1'; }

sink() { as_user 'rdma-sink --version; rdma-sink 2>message && exit 1 || test $? -eq 3; cat message; grep "no RDMA device" message'; }

plugin() {
  cp /packages/documented.py /tmp && chmod 644 /tmp/documented.py
  as_user "python3 /tmp/documented.py $manual/doc/congestion.md cpp 'class Equal' >equal.cpp
    python3 /tmp/documented.py $manual/doc/congestion.md yaml 'Three boards, one port' >three-boards.yaml
    g++ -std=c++20 -O2 -Wall -Wextra -Werror -fPIC -shared \$(pkg-config --cflags softfeb-congestion-plugin) equal.cpp -o equal.so
    softfeb lab -c three-boards.yaml --virtual --json result.json
    grep '\"algorithm\": *\"equal\"' result.json"
}

application() {
  as_user "python3 /tmp/documented.py $manual/doc/missing-data.md cpp TransferReceiver >example.cpp
    g++ -std=c++20 -Wall -Wextra -Werror \$(pkg-config --cflags softfeb-registration) example.cpp \
      \$(pkg-config --libs softfeb-registration) -o example
    ./example"
}

manual_pages() {
  test -s /usr/share/man/man1/softfeb.1.gz && test -s /usr/share/man/man5/softfeb.yaml.5.gz
  for page in $(find /usr/share/man -name 'softfeb*' -o -name febctl\* -o -name rdma-sink\*); do
    warnings=$(man --warnings -l "$page" 2>&1 >/tmp/page)
    test -z "$warnings" && test -s /tmp/page
  done
  # Check that all links between the pages of the manual work.
  python3 - "$manual" <<'PYTHON'
import os, re, sys
wrong = []
for folder, _, files in os.walk(sys.argv[1]):
    for name in files:
        if name.endswith(".md"):
            text = re.sub(r"```.*?```", "", open(os.path.join(folder, name)).read(), flags=re.S)
            for target in re.findall(r"\]\(([^)#\s]+)", text):
                if not re.match(r"[a-z]+:", target) and not os.path.exists(os.path.join(folder, target)):
                    wrong.append(f"{folder}/{name}: {target}")
print("\n".join(wrong))
# Ignore links to sources, which pages for developers contain.
sys.exit(bool([w for w in wrong if not re.search("/lib/|/test/|[/ ]tools/(softroce-vm|packages|manual|long_runs)|/examples/ns3|: LICENSE$", w)]))
PYTHON
}

python_package() {
  # shellcheck disable=SC2016
  as_user 'python3 -c "
import softfeb, softfeb.schemas
result = softfeb.lab(\"conf/lab/incast.yaml\", duration=\"20ms\", set={\"boards.feb.stop\": \"20ms\"})
print(softfeb.__version__, result.verdict, result.goodput_gbps, softfeb.schemas.folder())"'
}

units() {
  getent passwd softfeb
  test -d /etc/softfeb
  cp /usr/share/softfeb/conf/board.yaml /etc/softfeb/one.yaml
  systemd-analyze verify --man=no softfeb@one.service softfeb-camera@one.service
  rm /etc/softfeb/one.yaml
}

completions() {
  for file in /usr/share/bash-completion/completions/softfeb /usr/share/bash-completion/completions/febctl; do
    bash -n "$file"
  done
}

protections() {
  mkdir -p /tmp/tools/release && cp /packages/hardening.py /tmp/tools/release && cp /packages/check-hardening /tmp/tools
  # shellcheck disable=SC2046
  python3 /tmp/tools/check-hardening $(dpkg -L $(ours) | grep '^/usr/bin/')
}

files_are_intact() { dpkg -V $(ours); }

reinstall() { apt-get -q install -y --reinstall /packages/*.deb; }

removal() {
  # shellcheck disable=SC2046
  apt-get -q remove -y $(ours) && apt-get -q install -y /packages/*.deb && apt-get -q purge -y $(ours)
  sh /packages/listing.sh >/tmp/after
  diff /tmp/before /tmp/after
}

only=$*
useradd --create-home tester
apt-get -q update >/dev/null
check "dependencies from Debian" install_dependencies
only=
sh /packages/listing.sh >/tmp/before
check "installation" install_packages
only=$*
check "every installed file is as in the package" files_are_intact
check "the programs have all protections" protections
check "softfeb doctor" doctor
check "the quickstart's incast with its report" incast
check "softfeb-mpi: the same bytes" virtual_bytes
check "softfeb run and febctl" registers
check "softfeb conformance with an installed profile" profiles
check "softfeb switch-test" switch_test
check "rdma-sink without a device" sink
check "a user's plug-in" plugin
check "a user's application" application
check "manual pages and the manual" manual_pages
check "the Python package" python_package
check "completions" completions
check "units of systemd" units
check "installation of the same version again" reinstall
check "removal leaves nothing" removal
[ -z "$failed" ] || { echo "failed:$failed"; exit 1; }
