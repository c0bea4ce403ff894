#!/usr/bin/env python3
"""Makes the folder that stock DuckDB loads Paimon from: package_duckdb.py --duckdb 1.5.6 --build DIR --arrow DIR --out DIR
[--standalone libduckdb.so --standalone-licence FILE] [--host FILE]

The folder may lie anywhere: its libraries find each other beside themselves. They have names of their own, so that a process
which has other versions of them (Python with any pyarrow) keeps both. With --host, the library of a host (Python's module),
checks that it exports every DuckDB symbol that the engine needs.
"""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import extension_footer

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARROW_LIBRARIES = ("libarrow.so", "libarrow_compute.so", "libparquet.so")
README = """# Paimon for DuckDB {duckdb}

    LOAD '<this folder>/paimon.duckdb_extension';
    ATTACH '<warehouse>' AS lake (TYPE paimon);
    SELECT * FROM lake.<database>.<table>;

For DuckDB {duckdb} on {platform}, no other version: {hosts}.
The extension is not signed by DuckDB, so it has to be allowed when a database is opened: `duckdb -unsigned`, or in Python
`duckdb.connect(config={{"allow_unsigned_extensions": "true"}})`.

Needs glibc {glibc} or newer. Keep the files of this folder together; the folder may be moved. `licences/` has the licences of what
is inside.
"""


def run(*command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def symbols(library, kind):
    """Dynamic symbols without versions; `kind` is --defined-only or --undefined-only. Weak ones that are undefined may stay so."""
    names = set()
    for line in run("nm", "--dynamic", kind, library).splitlines():
        *_, letter, name = line.split()
        if kind == "--undefined-only" and letter in "wv":
            continue
        names.add(name.split("@")[0])
    return names


def needed(library):
    return run("patchelf", "--print-needed", library).split()


def own_name(soname):
    return soname if soname.startswith("libpaimon_") else "libpaimon_" + soname.removeprefix("lib")


class Package:
    def __init__(self, folder):
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "licences").mkdir(parents=True)

    def add(self, source, name=None):
        """Copies a library, stripped, under its own name; its NEEDED entries are named by `link`."""
        target = self.folder / (name or own_name(source.name))
        shutil.copyfile(source, target)
        target.chmod(0o755)
        run("strip", "--strip-unneeded", target)
        run("patchelf", "--set-soname", target.name, target)
        return target

    def link(self):
        """Makes every library look for those of this folder, beside itself."""
        names = {path.name for path in self.folder.glob("*.so*")}
        for library in sorted(self.folder.glob("*.so*")):
            for old in needed(library):
                if own_name(old) in names and own_name(old) != old:
                    run("patchelf", "--replace-needed", old, own_name(old), library)
            run("patchelf", "--set-rpath", "$ORIGIN", library)

    def licence(self, name, *files):
        for file in files:
            shutil.copyfile(file, self.folder / "licences" / f"{name}-{file.name}")


def find_library(name, near):
    """A library of the system, as the linker that made `near` found it."""
    for line in run("ldd", near).splitlines():
        match = re.match(rf"\s*{re.escape(name)} => (/\S+)", line) or re.match(rf"\s*(/\S*/{re.escape(name)}) ", line)
        if match:
            return pathlib.Path(match.group(1)).resolve()
    raise SystemExit(f"{near} needs {name}, which the loader cannot find")


def newest_glibc(folder):
    versions = set()
    for library in folder.glob("*.so*"):
        versions.update(re.findall(r"GLIBC_(\d+)\.(\d+)", run("objdump", "-T", library)))
    return ".".join(str(part) for part in max((int(a), int(b)) for a, b in versions))


def check_symbols(folder, host):
    """Every symbol the engine needs is in its own libraries or in the host, and it exports none but its entry point."""
    engine = folder / "libpaimon_engine.so"
    provided = symbols(host, "--defined-only")
    for name in needed(engine):
        library = folder / name
        provided |= symbols(library if library.exists() else find_library(name, engine), "--defined-only")
    missing = sorted(symbols(engine, "--undefined-only") - provided)
    if missing:
        shown = subprocess.run(["c++filt"], input="\n".join(missing), capture_output=True, text=True, check=True).stdout
        raise SystemExit(f"{host} does not export what the engine needs:\n{shown}")
    if symbols(engine, "--defined-only") != {"paimon_duckdb_cpp_init"}:
        raise SystemExit(f"{engine} exports more than its entry point: {sorted(symbols(engine, '--defined-only'))[:5]} …")
    from_host = len(symbols(engine, "--undefined-only") & symbols(host, "--defined-only"))
    if from_host == 0:
        raise SystemExit(f"the engine needs no symbol of {host}: the check checks nothing")
    return from_host


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--duckdb", required=True)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--arrow", type=pathlib.Path, required=True, help="folder of Arrow's libraries")
    parser.add_argument("--arrow-licences", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--standalone", type=pathlib.Path)
    parser.add_argument("--standalone-licence", type=pathlib.Path)
    parser.add_argument("--host", type=pathlib.Path)
    arguments = parser.parse_args()
    loadable = arguments.build / "extension/duckdb/loadable"
    version = re.search(r"project\(bactrian VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    platform = extension_footer.PLATFORMS[extension_footer.platform.machine()]

    package = Package(arguments.out)
    built = loadable / arguments.duckdb / "libpaimon_engine.so"
    engine = package.add(built)
    for name in ARROW_LIBRARIES:
        [library] = arguments.arrow.glob(name + ".*")
        package.add(library)
    for name in needed(engine):
        if name.startswith("libroaring"):
            package.add(find_library(name, built), own_name(name))
    hosts = "Python's `duckdb` package"
    if arguments.standalone:
        package.add(arguments.standalone)
        standalone = package.add(loadable / "libpaimon_standalone.so")
        run("patchelf", "--add-needed", own_name(arguments.standalone.name), "--add-needed", engine.name, standalone)
        hosts += " and the command line `duckdb`"
    package.link()
    entry = package.folder / "paimon.duckdb_extension"
    stripped = package.add(loadable / "libpaimon_entry.so", "entry")
    entry.write_bytes(stripped.read_bytes() + extension_footer.footer(platform, arguments.duckdb, version))
    stripped.unlink()

    package.licence("bactrian", ROOT / "LICENSE", ROOT / "NOTICE")
    package.licence("arrow", *sorted(arguments.arrow_licences.glob("*.txt")))
    package.licence("croaring", pathlib.Path("/usr/share/doc/libroaring0/copyright"))
    package.licence("json", pathlib.Path("/usr/share/doc/nlohmann-json3-dev/copyright"))
    if arguments.standalone:
        package.licence("duckdb", arguments.standalone_licence)
    (package.folder / "README.md").write_text(
        README.format(duckdb=arguments.duckdb, platform=platform, hosts=hosts, glibc=newest_glibc(package.folder)))

    if arguments.host:
        print(f"{check_symbols(package.folder, arguments.host)} symbols of DuckDB {arguments.duckdb} needed, all exported by "
              f"{arguments.host.name}")
    files = [path for path in package.folder.rglob("*") if path.is_file()]
    print(f"{package.folder}: {sum(path.stat().st_size for path in files) / 1e6:.1f} MB")
    for path in sorted(files, key=lambda path: -path.stat().st_size)[:6]:
        print(f"  {path.stat().st_size / 1e6:6.1f} MB {path.name}")


if __name__ == "__main__":
    sys.exit(main())
