#!/usr/bin/env python3
"""Makes a DuckDB extension of a shared library: extension_footer.py LIBRARY OUT --duckdb 1.5.6 --version 0.1.0 [--platform P]

DuckDB reads the last 512 bytes of an extension: eight fields of 32 bytes, the last first, and a signature of 256, here empty.
"""
import argparse
import pathlib
import platform

FIELD_BYTES = 32
SIGNATURE_BYTES = 256
MAGIC = "4"
PLATFORMS = {"x86_64": "linux_amd64", "aarch64": "linux_arm64"}


def footer(platform_name, duckdb_version, extension_version):
    """Fields: magic, platform, DuckDB version, extension version, ABI, three unused."""
    fields = [MAGIC, platform_name, "v" + duckdb_version, extension_version, "CPP", "", "", ""]
    encoded = [field.encode() for field in fields]
    if any(len(field) > FIELD_BYTES for field in encoded):
        raise SystemExit(f"a field is longer than {FIELD_BYTES} bytes: {fields}")
    return b"".join(field.ljust(FIELD_BYTES, b"\0") for field in reversed(encoded)) + b"\0" * SIGNATURE_BYTES


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--duckdb", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--platform", default=PLATFORMS.get(platform.machine()))
    arguments = parser.parse_args()
    if arguments.platform is None:
        raise SystemExit(f"DuckDB has no platform name for {platform.machine()} here: give --platform")
    arguments.out.write_bytes(arguments.library.read_bytes() +
                              footer(arguments.platform, arguments.duckdb, arguments.version))


if __name__ == "__main__":
    main()
