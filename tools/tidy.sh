#!/usr/bin/env bash
# clang-tidy over the sources of the release build: all, or with --changed [BASE] those that differ from BASE (default: the
# commit before the last landing, HEAD~1).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
database=build/release
[ -f $database/compile_commands.json ] || { echo "tidy: no $database: ./dev build first" >&2; exit 1; }
if [ "${1:-}" = --changed ]; then
  base=${2:-HEAD~1}
  git rev-parse -q --verify "$base^{commit}" > /dev/null || base=$(git rev-list --max-parents=0 HEAD | tail -n 1)
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- 'src/*.cc' 'cli/*.cc')
else
  mapfile -t files < <(git ls-files 'src/*.cc' 'cli/*.cc')
fi
if [ ${#files[@]} -eq 0 ]; then echo "clang-tidy: no changed source"; exit 0; fi
# The database holds GCC's command lines: clang knows not all of their warning options and cannot read GCC's precompiled header.
commands=build/tidy
mkdir -p $commands
sed -E 's# -include [^ ]*cmake_pch\.hxx##g' $database/compile_commands.json > $commands/compile_commands.json
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 1 clang-tidy-14 -p $commands --quiet --warnings-as-errors='*' \
  --extra-arg=-Wno-unknown-warning-option 2> /dev/null
echo "clang-tidy: ${#files[@]} files clean"
