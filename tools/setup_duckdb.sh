#!/usr/bin/env bash
# Fetches what the extension is built with for one version of DuckDB into a folder: the headers of the PyPI source package and,
# for the version that is embedded, the library of the npm package. Pinned by version and by hash. Does nothing when the folder
# is complete.
#   tools/setup_duckdb.sh <version> <folder> [<python>]     (default: the virtual environment beside the folder, else python3)
set -euo pipefail

version=${1:?usage: setup_duckdb.sh <version> <folder> [<python>]}
folder=${2:?usage: setup_duckdb.sh <version> <folder> [<python>]}
npm_version=
case $version in
  1.5.6)
    sdist_sha256=166a91dbfacfc0c9f08cc76c0243cb6d3d4296bfab5bad72a3cfb63140a5b7c8
    npm_package=@duckdb/node-bindings-linux-x64
    npm_version=1.5.6-r.1
    npm_sha256=1b9f82478539bb9a1d1df44bd103121a12ae52142c07158dc52b97d2ec1d69ff
    ;;
  2.0.1) sdist_sha256=5b3f493140e35b75298ee0fc606d98e3065e8601e64fe81b09326de7a6fd68e0 ;;
  *) echo "setup_duckdb.sh: no pinned DuckDB $version" >&2; exit 1 ;;
esac
python=${3:-$folder/../venv/bin/python}
[ -x "$python" ] || [ -n "${3:-}" ] || python=python3
if [ "$(cat "$folder/VERSION" 2>/dev/null)" = "$version" ]; then
  echo "DuckDB $version: already in $folder"
  exit 0
fi

check() {  # <file> <sha256>
  echo "$2  $1" | sha256sum --check --quiet || { echo "setup_duckdb.sh: $1 is not the pinned file" >&2; exit 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "DuckDB $version: fetching headers (PyPI)${npm_version:+ and library (npm)}"
(cd "$work" && "$python" -m pip download --quiet --no-binary duckdb --no-deps "duckdb==$version")
sdist=$work/duckdb-$version.tar.gz
check "$sdist" "$sdist_sha256"

rm -rf "$folder"
mkdir -p "$folder/include" "$folder/third_party"
root=duckdb-$version/external/duckdb
tar -xzf "$sdist" -C "$work" "$root/src/include" "$root/third_party/re2" "$root/third_party/fmt" "$root/LICENSE"
cp -r "$work/$root/src/include/." "$folder/include/"
cp -r "$work/$root/third_party/re2" "$work/$root/third_party/fmt" "$folder/third_party/"
cp "$work/$root/LICENSE" "$folder/LICENSE"
if [ -n "$npm_version" ]; then
  (cd "$work" && npm pack --silent "$npm_package@$npm_version" >/dev/null)
  tgz=$(echo "$work"/*node-bindings*.tgz)
  check "$tgz" "$npm_sha256"
  tar -xzf "$tgz" -C "$work" package/libduckdb.so
  mkdir "$folder/lib"
  mv "$work/package/libduckdb.so" "$folder/lib/libduckdb.so"
fi
echo "$version" > "$folder/VERSION"  # last: an interrupted run starts over
echo "DuckDB $version: ready in $folder"
