# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Installs the Debian packages of tools/packages.txt that dpkg does not list as installed.

lists=(tools/packages.txt)

wanted_packages() {
  sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "${lists[@]}"
}

# Prints the names of required packages that are not installed, one per line.
missing_packages() {
  comm -23 <(wanted_packages | sort -u) \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u)
}

# Runs a command as root. If this is not possible, prints the command in $fix, which the user must run.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif ! command -v sudo >/dev/null; then
    die 3 "packages are missing, but you are not root and sudo is not installed" "fix: as root: $fix"
  elif [ -t 0 ]; then
    sudo "$@"
  elif sudo -n true 2>/dev/null; then
    sudo -n "$@"
  else
    die 3 "packages are missing, and sudo needs a password but there is no terminal" "fix: sudo $fix"
  fi
}

install_packages() {
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    die 3 "this is not a Debian system" \
      "fix: use Debian 12, or install the equivalents of tools/packages.txt and run: meson setup build"
  fi
  local missing
  mapfile -t missing < <(missing_packages)
  if [ ${#missing[@]} -eq 0 ]; then
    return
  fi
  local fix="apt-get install --no-install-recommends ${missing[*]}"
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  # Another apt process may hold the lock: new cloud machines update themselves at their first boot.
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3)
  as_root "${apt[@]}" update >/dev/null || say "apt-get update failed; trying with the existing package lists"
  as_root "${apt[@]}" -o Dpkg::Use-Pty=0 install -y --no-install-recommends "${missing[@]}" >"$(apt_log)" 2>&1 || {
    tail -n 20 "$(apt_log)" >&2
    die 3 "apt-get could not install the packages; its output is in $(apt_log)" \
      "fix: check the network and /etc/apt/sources.list, then as root: $fix"
  }
}

apt_log() {
  mkdir -p build-logs 2>/dev/null || die 3 "cannot write to $PWD" "fix: clone into a directory that you own, or run with sudo"
  echo build-logs/apt.log
}
