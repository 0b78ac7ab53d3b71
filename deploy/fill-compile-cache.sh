#!/bin/sh
# Run by the Dockerfile as root: fills the compile cache of engine hosts as the user of the service, and leaves it
# readable and not writable.
set -eu
user=$1
cache=/app/packages/engine-hosts/node_modules/.cache/hosts
install --directory --owner="$user" "$cache"
NODE_COMPILE_CACHE=$cache setpriv --reuid="$user" --regid="$user" --clear-groups \
  node /app/packages/engine-hosts/src/fill-compile-cache.ts
chown -R root:root "$cache"
rm "$0"
