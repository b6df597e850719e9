# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Lists all files of a system, so that its states before and after an installation can be compared. Omits files of the kernel,
# temporary files, and what apt, dpkg and their logs record about each action.
find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /packages \
  -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg -o -path /home/tester \) -prune \
  -o -printf '%M %u %g %p %l\n' | sort
find /var/lib/dpkg/info /var/lib/dpkg/alternatives /var/lib/dpkg/triggers -type f -printf '%p\n' 2>/dev/null | sort
dpkg-query -W -f '${Package} ${db:Status-Abbrev}\n'
cat /etc/passwd /etc/group
