"""What the scripts of the exercises share: errors for people, files that are never half written."""
import os
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXERCISES = "tests/course/exercises"  # the folder with the grading tests


class Problem(Exception):
    """Something that the person at the keyboard can put right; the text says what and how."""


def run(main):
    """Runs a script's main function; a Problem becomes one line and exit status 1."""
    try:
        sys.exit(main())
    except Problem as problem:
        sys.exit(f"error: {problem}")
    except BrokenPipeError:  # the reader closed the pager
        sys.stdout = open(os.devnull, "w")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit("\nstopped")


def in_lab():
    """Whether these scripts are those of a lab, not of the repository with the finished code."""
    return (ROOT / ".course" / "manifest.json").is_file()


def write_file(path, data):
    """Writes text or bytes to path as a whole or not at all."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = data.encode() if isinstance(data, str) else data
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(data)
        os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def write_if_new(path, data):
    """Writes bytes to path unless they are there already: a file that is right keeps its time, and is not built again."""
    if not path.is_file() or path.read_bytes() != data:
        write_file(path, data)


def read_text(path):
    """The text of a file that a person edits."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Problem(f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}") from None
