"""Looks into object files that were compiled for one instruction set: does one of them offer code that the
linker may use for everybody?

An inline function (of the standard library, say) that is not inlined is left in every object file that uses
it, and the linker keeps any one of them. If it keeps the one with AVX-512 instructions, a processor without
them stops at it. So whatever such a file defines must carry the instruction set's name.

usage: isa_symbols.py NAME OBJECT...      (NAME: avx2, avx512, ...)
"""

import subprocess
import sys

# Data without code: how C++ finds its exception handler, and notes of the address sanitizer.
HARMLESS = ("DW.ref.", "__odr_asan")


def shared_symbols(path, name):
    listing = subprocess.run(["nm", "--defined-only", "--extern-only", path],
                             check=True, capture_output=True, text=True).stdout
    symbols = [line.split()[-1] for line in listing.splitlines() if line.strip()]
    if not symbols:
        sys.exit(f"{path}: nm shows no symbols at all")
    return [symbol for symbol in symbols if name not in symbol and not symbol.startswith(HARMLESS)]


def main():
    name, paths = sys.argv[1], sys.argv[2:]
    failed = False
    for path in paths:
        for symbol in shared_symbols(path, name):
            failed = True
            print(f"{path}: {symbol} has code for {name} and a name that all versions share")
    print(f"{name}: {len(paths)} object files, {'shared names found' if failed else 'no name is shared'}")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
