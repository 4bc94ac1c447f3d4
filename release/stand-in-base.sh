#!/bin/sh
# Makes a stand-in for the base image of the Dockerfile, for a machine that can pull no image: a Debian of packages, with
# the Node.js and the npm of this machine. The images on top of it are for checks, not for a release.
#
# Needs root, buildah and mmdebstrap.
# Usage: stand-in-base.sh IMAGE NODE, for example: stand-in-base.sh docker.io/library/node:24.21.0-slim path/to/node
set -eu
image=$1
node=$2
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

# The package sources of this machine, because it reaches them.
cat /etc/apt/sources.list /etc/apt/sources.list.d/*.sources /etc/apt/sources.list.d/*.list 2> /dev/null |
  mmdebstrap --quiet --mode=root --variant=minbase --include=ca-certificates '' "$tree" -
chroot "$tree" useradd --create-home --uid 1000 node
cp "$node" "$tree/usr/local/bin/node"
mkdir -p "$tree/usr/local/lib/node_modules"
cp -R "$(npm root --global)/npm" "$tree/usr/local/lib/node_modules/"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$tree/usr/local/bin/npm"
ln -s ../lib/node_modules/npm/bin/npx-cli.js "$tree/usr/local/bin/npx"

container=$(buildah from scratch)
buildah add --quiet "$container" "$tree" / > /dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$container"
buildah commit --quiet --rm "$container" "$image" > /dev/null
