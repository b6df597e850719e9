# SPDX-License-Identifier: BSD-3-Clause
"""The contents of the guest. If this file, rootfs.py or a file in guest/ changes, `build` and `up` build the image again."""

KERNEL = "linux-image-amd64"

# Packages that are installed with their dependencies.
PACKAGES = [
    "busybox-static",  # tools for init, depmod, cpio
    "dash",
    "ethtool",
    "ibverbs-providers",  # the rxe user-space driver
    "ibverbs-utils",  # ibv_devinfo, ibv_rc_pingpong
    "iproute2",
    "iputils-ping",
    "perftest",  # ib_write_bw
    "python3-pyverbs",
    "rdmacm-utils",  # rping
    "tcpdump",
    # Run-time libraries of rdma-sink and febctl, which are built on the host:
    "libfmt9",
    "libhdf5-103-1",
    "libisal2",
    "libssl3",
    "libstdc++6",
    "libyaml-cpp0.7",
]

# Dependencies that are omitted, because only maintainer scripts need them, and maintainer scripts
# never run here. A name may end in the wildcard '*'.
LEFT_OUT = """
    adduser debconf debianutils dpkg init-system-helpers libaudit-common libaudit1 libcap-ng0 libdb5.3
    libfile-find-rule-perl libgdbm* libkmod2 libnumber-compare-perl libpam* libperl*
    libreadline8 libsemanage* libsepol2 libsqlite3-0 libtext-glob-perl lsb-base media-types passwd pci.ids perl
    perl-base perl-modules-* readline-common sysvinit-utils tar usrmerge
""".split()

# Kernel modules, copied with the modules on which they depend. Missing modules are skipped, because they may be built in.
MODULES = """
    virtio_pci virtio_net qemu_fw_cfg 9p 9pnet_virtio af_packet ipv6
    ib_core ib_uverbs ib_umad rdma_cm rdma_ucm rdma_rxe udp_tunnel ip6_udp_tunnel
    crc32_generic crc32-pclmul crc32c_generic
    8021q veth bridge dummy sch_netem sch_tbf sch_ingress act_mirred cls_u32 cls_matchall iptable_mangle xt_DSCP
""".split()

# Files that are removed, because the guest, which has no terminal, never uses them.
TRIMMED = """
    usr/include usr/sbin/iconvconfig usr/lib/udev usr/lib/systemd lib/udev lib/systemd
    usr/share/doc usr/share/man usr/share/info usr/share/locale usr/share/lintian usr/share/bug usr/share/gcc
    usr/share/gdb usr/share/bash-completion usr/share/zsh usr/share/pixmaps usr/share/applications
    usr/share/common-licenses usr/share/binfmts usr/share/icons
    usr/lib/x86_64-linux-gnu/gconv usr/lib/x86_64-linux-gnu/audit
    usr/lib/python3.11/test usr/lib/python3.11/idlelib usr/lib/python3.11/lib2to3 usr/lib/python3.11/ensurepip
    usr/lib/python3.11/tkinter usr/lib/python3.11/turtledemo usr/lib/python3.11/distutils
    usr/lib/python3.11/pydoc_data usr/lib/python3.11/unittest/test
""".split()

# Programs and libraries whose presence is checked after a build.
EXPECTED = ["usr/bin/ib_write_bw", "usr/bin/ibv_devinfo", "usr/bin/tcpdump", "usr/bin/python3",
            "usr/lib/x86_64-linux-gnu/libstdc++.so.6", "usr/lib/x86_64-linux-gnu/libcrypto.so.3"]
