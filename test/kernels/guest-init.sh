#!/bin/bash
# The init of a guest: mounts the usual file systems, then starts guest.ts, whose report goes to the third disk.
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "/dev/${stream#*:}"; done
mount -t devpts -o gid=5,mode=620,ptmxmode=666 devpts /dev/pts
mount -t tmpfs -o mode=1777 shm /dev/shm
mount -t mqueue mqueue /dev/mqueue 2>/dev/null
mount -t tmpfs -o mode=755 run /run
mount -t tmpfs -o mode=1777 tmp /tmp
mount -t cgroup2 none /sys/fs/cgroup
mount -t securityfs none /sys/kernel/security
ip link set lo up
hostname guest
echo "guest: $(uname -r), lsm $(cat /sys/kernel/security/lsm)"
cd /tested/repository
ION_TEST_PACKAGE=/tested/package ION_TEST_PATIENCE=6 node guest.mjs $(tr " " "\n" < /proc/cmdline | sed -n "s/^ask=//p" | tr , " ") 2>&1
sync
# No program starts after this: the disks may disappear before the machine stops, and the kernel panics if init ends.
mkfifo /run/end
echo o > /proc/sysrq-trigger
read -r -t 60 <> /run/end
