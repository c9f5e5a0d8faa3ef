"""What the tests of the scripts share."""
import subprocess
import sys
import unittest


def main():
    """Runs the tests of the file that calls it; the last line is the one that make test counts."""
    result = unittest.main(exit=False).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad - len(result.skipped)} passed, {bad} failed")
    sys.exit(1 if bad else 0)


def script(root, name, *arguments):
    """(exit status, all output) of a script of a course or a lab."""
    done = subprocess.run([sys.executable, root / "tests/course" / name, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr
