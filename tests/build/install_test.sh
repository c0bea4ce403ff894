#!/usr/bin/env bash
# Installs the build at $1 into a scratch prefix and builds and runs a consumer project against it.
set -euo pipefail
build=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/prefix" > "$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
test -f "$scratch/prefix/lib/libbactrian.so" && test -f "$scratch/prefix/lib/libbactrian_static.a"
cmake -S "$here/../consumer" -B "$scratch/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" > "$scratch/configure.log" ||
  { cat "$scratch/configure.log"; exit 1; }
cmake --build "$scratch/consumer" > "$scratch/build.log" || { cat "$scratch/build.log"; exit 1; }
test "$("$scratch/consumer/consumer" "$scratch/warehouse")" = db
