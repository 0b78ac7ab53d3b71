#!/bin/sh
# Runs a command of the image without a container engine: on its mounted file system, read-only, as the user of the
# image, without capabilities, and with mounts and processes of its own. For checks of the image; needs root.
#
#   deploy/run-in-image.sh <root of the file system> <folder for /data, /backups and /run/secrets> api
set -eu
if [ -z "${QUERYBELL_INSIDE:-}" ]; then
  exec env QUERYBELL_INSIDE=1 setpriv --pdeathsig KILL \
    unshare --mount --pid --fork --kill-child=TERM --propagation private "$0" "$@"
fi
unset QUERYBELL_INSIDE
root=$1
folders=$2
shift 2
mount --bind "$root" "$root"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount -t tmpfs tmpfs "$root/run"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for device in null zero random urandom; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/run/secrets"
mount --bind "$folders/secrets" "$root/run/secrets"
mount --bind "$folders/data" "$root/data"
mount --bind "$folders/backups" "$root/backups"
mount --bind /etc/hosts "$root/etc/hosts"
mount -o remount,bind,ro "$root"
exec chroot "$root" setpriv --no-new-privs --bounding-set=-all --reuid=10001 --regid=10001 --clear-groups \
  /app/deploy/querybell "$@"
