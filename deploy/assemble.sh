#!/bin/sh
# Run by the Dockerfile in the built repository: puts what production runs into a folder, in the layout of the
# repository, because workspace packages find each other by it.
set -eu
target=$1
set -- --filter-prod=@querybell/api... --filter-prod=@querybell/worker... --filter-prod=@querybell/public... \
  --filter-prod=@querybell/operator...

folders=$(pnpm "$@" list --recursive --depth -1 --parseable)
mkdir -p "$target"
cp package.json pnpm-lock.yaml pnpm-workspace.yaml "$target"
cp -R deploy "$target/deploy"
cp -R patches "$target/patches"
for folder in $folders; do
  name=${folder#"$PWD"/}
  mkdir -p "$target/$name"
  # Everything but its installed packages, which are installed anew below, and its tests.
  tar -C "$folder" --exclude=node_modules --exclude=dist --exclude='*.test.ts' --exclude='*.fixture.ts' \
    --exclude=testing --exclude='vitest.config.ts' --exclude='.turbo' -cf - . | tar -C "$target/$name" -xf -
done
mkdir -p "$target/apps/web"
cp -R apps/web/dist "$target/apps/web/dist"

cd "$target"
pnpm install --prod --frozen-lockfile --ignore-scripts "$@"
node deploy/prune-packages.mjs .
# Of Prisma's client, the parts for other databases take ten times the room of ours. Types and source maps are not read.
find node_modules/.pnpm -path '*/@prisma/client/runtime/*' \
  \( -name '*.mysql.*' -o -name '*.sqlite.*' -o -name '*.sqlserver.*' -o -name '*.cockroachdb.*' \) -delete
find node_modules/.pnpm -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
rm -rf pnpm-lock.yaml patches deploy/assemble.sh deploy/prune-packages.mjs deploy/*-without-registry.sh deploy/run-in-image.sh
