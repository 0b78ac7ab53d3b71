#!/bin/sh
# Builds the image on a Debian machine that reaches Debian's and npm's servers and no registry of images: makes the two
# base images that the Dockerfile names, from the same packages, and builds on them. Needs root, and
# `apt-get install buildah debootstrap`.
set -eu
cd "$(dirname "$0")/.."
debian=docker.io/library/debian:bookworm-slim
node=docker.io/library/node:24-bookworm-slim
version=$(sed -n 's/^  node: \(24\.[0-9.]*\)$/\1/p' pnpm-workspace.yaml)
arch=$(dpkg --print-architecture | sed 's/amd64/x64/')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILDAH_ISOLATION=chroot

if ! buildah inspect --type image "$debian" >/dev/null 2>&1; then
  debootstrap --variant=minbase bookworm "$work/debian" http://deb.debian.org/debian
  printf 'deb http://deb.debian.org/debian %s main\n' bookworm bookworm-updates >"$work/debian/etc/apt/sources.list"
  echo "deb http://deb.debian.org/debian-security bookworm-security main" >>"$work/debian/etc/apt/sources.list"
  # As Debian's slim images.
  rm -rf "$work"/debian/var/cache/apt/* "$work"/debian/var/lib/apt/lists/* "$work"/debian/var/log/* \
    "$work"/debian/usr/share/doc/* "$work"/debian/usr/share/man/* "$work"/debian/usr/share/locale/*
  container=$(buildah from scratch)
  buildah add --quiet "$container" "$work/debian" /
  buildah config --cmd bash "$container"
  buildah commit --quiet --rm "$container" "$debian"
fi

if ! buildah inspect --type image "$node" >/dev/null 2>&1; then
  container=$(buildah from --pull-never "$debian")
  (cd "$work" && npm pack --silent "node-linux-$arch@$version" npm@11)
  mkdir -p "$work/node" "$work/npm"
  tar -xzf "$work"/node-linux-*.tgz -C "$work/node" --strip-components=1
  tar -xzf "$work"/npm-*.tgz -C "$work/npm" --strip-components=1
  buildah copy --quiet "$container" "$work/node/bin/node" /usr/local/bin/node
  buildah copy --quiet "$container" "$work/npm" /usr/local/lib/node_modules/npm
  for program in npm npx; do
    buildah run "$container" -- ln -s "../lib/node_modules/npm/bin/$program-cli.js" "/usr/local/bin/$program"
  done
  # The authorities that this machine trusts, which a proxy in front of the registry may need.
  buildah copy --quiet "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
  buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
  buildah commit --quiet --rm "$container" "$node"
fi

# Docker's format knows health checks.
buildah build --pull-never --format docker --layers --tag querybell:0.1.0 .
buildah images --filter reference=localhost/querybell:0.1.0
