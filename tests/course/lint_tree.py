"""The files of a checkout, as lint and the book see them, and how their checks are run."""
import pathlib
import re
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Tree:
    """The files of a checkout: those that git knows or would add; without git, all outside the build folders."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        self.files = sorted(self._from_git() or self._from_disk())
        self._texts = {}

    def _from_git(self):
        if not (self.root / ".git").exists() or not shutil.which("git"):
            return []
        listed = subprocess.run(["git", "-C", self.root, "ls-files", "-co", "--exclude-standard", "-z"],
                                capture_output=True, text=True)
        return [name for name in listed.stdout.split("\0") if name and (self.root / name).is_file()]

    def _from_disk(self):
        ignored = re.compile(r"(build|build-[^/]*|models|site|lab|\.git|\.cache)/|(.*/)?__pycache__/")
        names = (path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file())
        return [name for name in names if not ignored.match(name)]

    def text(self, name):
        if name not in self._texts:
            data = (self.root / name).read_bytes()
            self._texts[name] = "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")
        return self._texts[name]

    def lines(self, name):
        return self.text(name).splitlines()

    def sources(self, *suffixes):
        return [name for name in self.files if name.endswith(suffixes or (".cpp", ".h", ".cu", ".cuh"))]


def run_checks(checks, subject):
    """Runs checks, each a function that yields (file, line, message); prints what they find; returns how many failed."""
    failed = 0
    for check in checks:
        found = list(check(subject))
        failed += bool(found)
        print(f"{'WRONG' if found else 'ok':6} {check.__doc__}")
        for name, line, message in found:
            print(f"       {name}:{line}: {message}")
    return failed


def is_generated_or_data(name):
    return name.startswith("data/") or "/data/" in name or "/corpus/" in name or name == "LICENSE"
