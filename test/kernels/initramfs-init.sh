#!/bin/sh
# The first program of a guest: finds the disks and switches to the userland.
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do insmod "/modules/$module" 2>/dev/null; done < /order
tries=0
while [ ! -e /dev/vdc ] && [ $tries -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
mount -t ext4 /dev/vda /newroot || { echo 'NO-ROOT'; cat /order; ls /dev; poweroff -f; }
mount -t ext4 /dev/vdb /newroot/tested
exec switch_root /newroot /tested/init.sh
