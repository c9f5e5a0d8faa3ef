"""The list of exercises: exercises.toml of each chapter in the repository, exercises.json in a lab."""
import json
import re
import tomllib
from dataclasses import asdict, dataclass, field

from exercise_tools import EXERCISES, Problem

KINDS = ("write", "fix", "given")
LIBRARIES = ("llm_base", "llm_utf8", "llm_tensor", "llm_io", "llm_config", "llm_seams", "llm_text", "llm_cli")
PACKAGES = ("pcre2", "utf8proc", "fmt::fmt", "nlohmann_json::nlohmann_json", "Eigen3::Eigen", "OpenMP::OpenMP_CXX")
HIDDEN = ("stub", "wrong")  # what a lab's list leaves out


@dataclass
class Wrong:
    """A wrong answer: the case that catches it and the sentence that the reader is told."""
    name: str
    case: str
    says: str
    code: str


@dataclass
class Exercise:
    id: str
    title: str
    minutes: int
    file: str
    test: str
    folder: str  # of the chapter, "02_naive_loop"
    hints: list
    needs: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    libraries: list = field(default_factory=lambda: ["llm_base"])
    packages: list = field(default_factory=list)
    kind: str = "write"
    stub: str = ""
    wrong: list = field(default_factory=list)

    @property
    def region(self):
        return "ex" + self.id

    @property
    def chapter(self):
        return self.id.split("-")[0]

    @property
    def test_file(self):
        return f"{EXERCISES}/{self.folder}/{self.test}"


def with_needs(exercise, exercises):
    """The exercise and all whose code it runs, directly or through others, in the order of the course."""
    by_id = {other.id: other for other in exercises}
    wanted, found = [exercise.id], set()
    while wanted:
        if (current := wanted.pop()) not in found:
            found.add(current)
            wanted += by_id[current].needs
    return [other for other in exercises if other.id in found]


def sources_of(exercise, exercises):
    """The chapter sources that an exercise's program is linked from, without the headers."""
    names = []
    for other in with_needs(exercise, exercises):
        names += [name for name in [other.file, *other.sources] if name.endswith(".cpp") and name not in names]
    return names


def files_of(exercise, exercises):
    """All files in which its program's chapter code stands, the regions' headers too."""
    regions = [other.file for other in with_needs(exercise, exercises)]
    return list(dict.fromkeys([*regions, *sources_of(exercise, exercises)]))


def region_files(exercises):
    """The files that hold exercises, each once."""
    return list(dict.fromkeys(exercise.file for exercise in exercises))


def read_toml(root, chapters=None):
    """The exercises of the repository at root, in the order of the course: of all chapters, or of the given ones
    ("02") and of those that they need."""
    paths = {path.parent.name[:2]: path for path in sorted((root / EXERCISES).glob("*/exercises.toml"))}
    if unknown := sorted(set(chapters or []) - set(paths)):
        raise Problem(f"CHAPTER={unknown[0]}: no exercises there; chapters with exercises are {', '.join(paths)}")
    wanted, found = list(chapters or paths), {}
    while wanted:
        chapter = wanted.pop()
        if chapter not in found and chapter in paths:
            found[chapter] = read_chapter(paths[chapter], root)
            wanted += [other.split("-")[0] for exercise in found[chapter] for other in exercise.needs]
    exercises = [exercise for chapter in sorted(found) for exercise in found[chapter]]
    check_order(exercises)
    return exercises


def read_chapter(path, root):
    name = path.relative_to(root).as_posix()
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Problem(f"{name}: {error}") from None
    if set(table) - {"exercise"}:
        raise Problem(f"{name}: only [[exercise]] tables may stand at the top, not {sorted(set(table) - {'exercise'})}")
    return [one_exercise(entry, path.parent.name, name, root) for entry in table.get("exercise", [])]


EXPECTED = {"id": str, "title": str, "minutes": int, "needs": list, "file": str, "test": str, "sources": list,
            "libraries": list, "packages": list, "kind": str, "stub": str, "hints": list, "wrong": list}
REQUIRED = ("id", "title", "minutes", "file", "test", "hints", "wrong")


def one_exercise(entry, folder, name, root):
    where = f"{name}: exercise {entry.get('id', '(without id)')}"
    check_keys(entry, EXPECTED, REQUIRED, where)
    for key in ("needs", "sources", "libraries", "packages", "hints"):
        if not all(isinstance(item, str) for item in entry.get(key, [])):
            raise Problem(f"{where}: {key} is a list of strings")
    wrong = []
    for item in entry["wrong"]:
        check_keys(item, dict.fromkeys(("name", "case", "says", "code"), str), ("name", "case", "says", "code"),
                   f"{where}: wrong answer {item.get('name', '(without name)')}")
        wrong.append(Wrong(**item))
    exercise = Exercise(**{**entry, "wrong": wrong, "folder": folder})
    check_values(exercise, where, root)
    return exercise


def check_keys(table, expected, required, where):
    if unknown := sorted(set(table) - set(expected)):
        raise Problem(f"{where}: unknown key {unknown[0]!r}; there are {', '.join(expected)}")
    if missing := [key for key in required if key not in table]:
        raise Problem(f"{where}: {missing[0]!r} is missing")
    for key, value in table.items():
        if not isinstance(value, expected[key]) or isinstance(value, bool):
            raise Problem(f"{where}: {key} is a {type(value).__name__}, expected a {expected[key].__name__}")


def check_values(exercise, where, root):
    wrong = lambda message: Problem(f"{where}: {message}")
    if not re.fullmatch(r"\d\d-\d{1,2}", exercise.id) or exercise.chapter != exercise.folder[:2]:
        raise wrong(f"the id is chapter-number, here {exercise.folder[:2]}-1, {exercise.folder[:2]}-2, ...")
    if exercise.kind not in KINDS:
        raise wrong(f"kind is {exercise.kind!r}, expected one of {', '.join(KINDS)}")
    if (exercise.kind == "given") != (exercise.stub == ""):
        raise wrong("a given exercise has no stub, every other one has")
    if exercise.kind == "write" and f'NotStarted("{exercise.id}")' not in exercise.stub:
        raise wrong(f'the stub must throw NotStarted("{exercise.id}")')
    if not exercise.hints:
        raise wrong("at least one hint")
    if len(exercise.wrong) < 2:
        raise wrong("at least two wrong answers")
    if exercise.minutes < 1:
        raise wrong("minutes is at least 1")
    for name in [exercise.file, *exercise.sources, exercise.test_file]:
        if not (root / name).is_file():
            raise wrong(f"{name} does not exist")
    for kind, given, known in (("libraries", exercise.libraries, LIBRARIES), ("packages", exercise.packages, PACKAGES)):
        if unknown := [name for name in given if name not in known]:
            raise wrong(f"{kind}: {unknown[0]!r} is none of {', '.join(known)}")


def check_order(exercises):
    """Ids are unique and rise, needs stand earlier."""
    seen = []
    for exercise in exercises:
        key = [int(part) for part in exercise.id.split("-")]
        if seen and key <= [int(part) for part in seen[-1].split("-")]:
            raise Problem(f"exercise {exercise.id} stands after {seen[-1]}: the file has the order of the course")
        for other in exercise.needs:
            if other not in seen:
                raise Problem(f"exercise {exercise.id} needs {other}, which is not an earlier exercise")
        seen.append(exercise.id)


def to_json(exercises):
    """The list for a lab, without stubs, solutions and wrong answers."""
    rows = [{key: value for key, value in asdict(exercise).items() if key not in HIDDEN} for exercise in exercises]
    return json.dumps({"exercises": rows}, indent=1, ensure_ascii=False) + "\n"


def read_json(path):
    """The exercises of a lab."""
    try:
        return [Exercise(**row) for row in json.loads(path.read_text(encoding="utf-8"))["exercises"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise Problem(f"{path}: cannot be read as the list of exercises; run make lab again") from None


def chapter_number(chapter):
    """The number that CHAPTER= means: "02" for 2, 02 and 02_naive_loop."""
    return chapter.split("_")[0].zfill(2)


def choose(exercises, chapter="", exercise=""):
    """The exercises that CHAPTER= or EX= name; all without either."""
    if exercise:
        chosen = [item for item in exercises if item.id == exercise]
        if not chosen:
            ids = ", ".join(item.id for item in exercises)
            raise Problem(f"EX={exercise}: there is no such exercise; there are {ids}")
        return chosen
    if chapter:
        chosen = [item for item in exercises if item.chapter == chapter_number(chapter)]
        if not chosen:
            chapters = ", ".join(dict.fromkeys(item.chapter for item in exercises))
            raise Problem(f"CHAPTER={chapter}: no exercises there; chapters with exercises are {chapters}")
        return chosen
    return list(exercises)
