#!/usr/bin/env bash
# libparquet exports all of OpenSSL: a program that also loads the system's curl or OpenSSL crashes unless those come before
# Arrow in its NEEDED list. Checks every binary given.
set -euo pipefail
checked=0
for binary in "$@"; do
  needed=$(readelf -d "$binary" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  arrow=$(grep -nE '^lib(arrow|parquet)' <<< "$needed" | head -n 1 | cut -d: -f1 || true)
  ssl=$(grep -nE '^lib(curl|ssl|crypto)' <<< "$needed" | tail -n 1 | cut -d: -f1 || true)
  if [ -z "$arrow" ]; then echo "$binary needs no Arrow: wrong binary?"; exit 1; fi
  if [ -n "$ssl" ] && [ "$ssl" -gt "$arrow" ]; then
    echo "$binary: curl or OpenSSL comes after Arrow:" && echo "$needed" && exit 1
  fi
  checked=$((checked + 1))
done
test "$checked" -gt 0
