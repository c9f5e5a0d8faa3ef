"""Compiles variants of the exercises' files beside a lab's build, so that hundreds of states need few compilations.

A state says for each exercise which code stands in its region. An object file is known by the text that it is
compiled from; a program by its objects; so equal things are made once.
"""
import hashlib
import json
import pathlib
import re
import shlex
import subprocess
import threading

import exercises_file
import grade_run
import regions
import workspace
from grade_build import first_error, run_ninja

LIMIT_S = 60  # the proof runs on busy machines, too


class States:
    def __init__(self, root, lab, build, exercises):
        self.lab, self.build, self.exercises = lab, build, exercises
        self.scratch = build / "variants"
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.finished = {name: regions.remove_snippets((root / name).read_text(encoding="utf-8"), name)
                         for name in exercises_file.region_files(exercises)}
        self.bodies = {exercise.id: regions.body_of(self.finished[exercise.file], exercise.region, exercise.file)
                       for exercise in exercises}
        self.compile_commands = self._compile_commands()
        self.link_commands = {exercise.id: self._link_command(exercise) for exercise in exercises}
        self.known, self.lock = {}, threading.Lock()

    def _compile_commands(self):
        """File -> (command, output) for every chapter source and test."""
        entries = json.loads((self.build / "compile_commands.json").read_text())
        commands = {}
        for entry in entries:
            name = pathlib.Path(entry["file"]).resolve().relative_to(self.lab.resolve()).as_posix()
            output = re.search(r" -o (\S+)", entry["command"])[1]
            if "object_" in output or "exercise-" in output:
                commands[name] = entry["command"], output
        return commands

    def _link_command(self, exercise):
        program = f"exercises/exercise-{exercise.id}"
        _, listed = run_ninja(self.build, "-t", "commands", program)
        return next(line for line in reversed(listed.splitlines()) if f"-o {program}" in line)

    def text(self, name, code):
        """A region file with these bodies in its regions (exercise id -> text; others are stubs)."""
        text = self.finished[name]
        for exercise in self.exercises:
            if exercise.file != name:
                continue
            if exercise.id in code:
                text = regions.replace(text, exercise.region, code[exercise.id], name)
            else:
                text = workspace.make_stub(exercise, text)
        return workspace.add_include(text)

    def solved(self, ids):
        """Code for these exercises: their finished bodies."""
        return {exercise: body for exercise, body in self.bodies.items() if exercise in ids}

    def once(self, key, make):
        """make() for a key that was not seen before; its result for one that was. Threads wait for each other."""
        with self.lock:
            entry = self.known.setdefault(key, [threading.Lock(), None])
        with entry[0]:
            if entry[1] is None:
                entry[1] = make()
            return entry[1]

    def run(self, exercise, code):
        """The Result of an exercise in the state `code`."""
        files = exercises_file.files_of(exercise, self.exercises)
        texts = {name: self.text(name, code) for name in files if name in self.finished}
        headers = {name: text for name, text in texts.items() if not name.endswith(".cpp")}
        objects = {}
        for name in [*exercises_file.sources_of(exercise, self.exercises), exercise.test_file]:
            if name in texts or headers:
                made = self._object(name, texts.get(name), headers)
                if isinstance(made, grade_run.Result):
                    made.exercise = exercise
                    return made
                objects[self.compile_commands[name][1]] = made
        return self.once(("run", exercise.id, *sorted(objects.values())), lambda: self._link_and_run(exercise, objects))

    def _object(self, name, text, headers):
        key = hashlib.sha256(repr((name, text, sorted(headers.items()))).encode()).hexdigest()[:20]
        return self.once(("object", key), lambda: self._compile(name, text, headers, key))

    def _compile(self, name, text, headers, key):
        """Compiles a file with another text, before headers of another text; the object's path, or a Result."""
        folder = self.scratch / key
        for header, content in headers.items():
            (folder / header).parent.mkdir(parents=True, exist_ok=True)
            (folder / header).write_text(content)
        source = self.lab / name
        if text is not None:
            source = folder / name
            source.parent.mkdir(parents=True, exist_ok=True)
            source.write_text(text)
        command, output = self.compile_commands[name]
        made = str(folder / "made.o")
        words = [word for word in shlex.split(command) if word != "-Werror" and "ccache" not in word]
        words[words.index("-o") + 1] = made
        words[words.index("-c") + 1] = str(source)
        if "-MF" in words:
            words[words.index("-MF") + 1] = made + ".d"
        words[1:1] = ["-I", str(folder)]
        folder.mkdir(exist_ok=True)
        done = subprocess.run(words, cwd=self.build, capture_output=True, text=True, errors="replace")
        if done.returncode == 0:
            return made
        error = first_error(output, done.stderr.splitlines(), self.lab)
        return grade_run.Result(None, grade_run.COMPILE, message=f"{error.file}:{error.line}: {error.message}")

    def _link_and_run(self, exercise, objects):
        folder = self.scratch / ("run-" + hashlib.sha256(repr((exercise.id, sorted(objects.items()))).encode())
                                 .hexdigest()[:20])
        folder.mkdir(exist_ok=True)
        program = folder / "program"
        command = self.link_commands[exercise.id].replace(f"-o exercises/exercise-{exercise.id}", f"-o {program}")
        for output, made in objects.items():
            if output not in command:
                raise RuntimeError(f"{output} is not in the link command of {exercise.id}")
            command = command.replace(output, made)
        done = subprocess.run(["sh", "-c", command], cwd=self.build, capture_output=True, text=True, errors="replace")
        if done.returncode != 0:
            error = first_error("", done.stderr.splitlines(), self.lab)
            return grade_run.Result(exercise, grade_run.COMPILE, message=error.message)
        records = grade_run.run_program(program, self.lab, LIMIT_S)
        program.unlink()
        return grade_run.judge(exercise, *records, self.lab)
