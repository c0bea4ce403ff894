#!/usr/bin/env bash
# The layering check must fail on an include that points up.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/src/bactrian/base"
echo '#include "bactrian/table/plan.h"' > "$scratch/src/bactrian/base/a.h"
output=$(python3 -B "$here/../layering.py" "$scratch") && { echo "an upward include passed"; exit 1; }
grep -q 'base must not include table/plan.h' <<< "$output"
