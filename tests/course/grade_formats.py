"""The results of make grade for machines: JUnit XML, and the JSON that Gradescope and GitHub Classroom read.

Each exercise is worth one point; time is written down and never graded.
"""
import json
import re
import xml.etree.ElementTree as ElementTree

import grade_report
from exercise_tools import write_file
from grade_run import BAD, COMPILE, CRASH, HANG, OK

POINTS = 1


def told(result):
    """The report of one exercise as plain text."""
    lines = [f"{result.status}: {result.exercise.id} {result.exercise.title}"]
    if result.waits_for:
        lines.append(f"first {', '.join(result.waits_for)}")
    if result.status in BAD:
        lines.append(grade_report.plain(result))
    return "\n".join(lines)


def title(result):
    return f"{result.exercise.id} {result.exercise.title}"


def printable(text):
    """Text without the control characters that XML cannot hold."""
    return re.sub(r"[^\t\n\x20-\uD7FF\uE000-\uFFFD\U00010000-\U0010FFFF]", "?", text)


def junit(results):
    """A JUnit report: a suite a chapter, a case an exercise; what is not begun counts as skipped."""
    root = ElementTree.Element("testsuites", name="Next Token")
    chapters = {}
    for result in results:
        chapters.setdefault(result.exercise.folder, []).append(result)
    for chapter, own in chapters.items():
        suite = ElementTree.SubElement(root, "testsuite", name=chapter)
        for result in own:
            case = ElementTree.SubElement(suite, "testcase", classname=chapter, name=title(result),
                                          time=f"{result.seconds:.3f}", file=result.exercise.file)
            if result.status != OK:
                kind = "error" if result.status in (COMPILE, CRASH, HANG) else \
                    "failure" if result.status in BAD else "skipped"
                element = ElementTree.SubElement(case, kind, message=printable(headline(result)))
                element.text = printable(told(result))
        count_cases(suite, own)
    count_cases(root, results)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def headline(result):
    return result.looks_like or result.message or result.what or result.status


def count_cases(element, results):
    errors = sum(result.status in (COMPILE, CRASH, HANG) for result in results)
    failures = sum(result.status in BAD for result in results) - errors
    element.set("tests", str(len(results)))
    element.set("failures", str(failures))
    element.set("errors", str(errors))
    element.set("skipped", str(sum(result.status not in BAD and result.status != OK for result in results)))
    element.set("time", f"{sum(result.seconds for result in results):.3f}")


def gradescope(results):
    """Gradescope's results.json (its Autograder Specifications, "Output format")."""
    points = lambda result: POINTS if result.status == OK else 0
    tests = [{"number": result.exercise.id, "name": result.exercise.title, "score": points(result),
              "max_score": POINTS, "status": "passed" if result.status == OK else "failed",
              "output": told(result), "output_format": "text", "visibility": "visible"} for result in results]
    return {"score": sum(map(points, results)), "execution_time": round(sum(result.seconds for result in results), 3),
            "output": summary(results), "output_format": "text", "visibility": "visible",
            "stdout_visibility": "visible", "tests": tests}


def classroom(results):
    """What GitHub Classroom's grading reporter reads, before it is put into base64."""
    errors = dict.fromkeys((COMPILE, CRASH, HANG), "error")
    status = lambda result: "pass" if result.status == OK else errors.get(result.status, "fail")
    tests = [{"name": title(result), "status": status(result), "score": POINTS if result.status == OK else 0,
              "message": None if result.status == OK else told(result), "test_code": result.exercise.test_file,
              "filename": result.exercise.file, "line_no": 0, "execution_time": f"{result.seconds:.3f}s"}
             for result in results]
    states = {test["status"] for test in tests}
    return {"version": 1, "status": "fail" if "fail" in states else "error" if "error" in states else "pass",
            "max_score": POINTS * len(results), "tests": tests}


def summary(results):
    return ", ".join(f"{number} {status}" for status, number in grade_report.counts(results).items())


def write(folder, results):
    """Writes the three files."""
    write_file(folder / "junit.xml", junit(results))
    write_file(folder / "gradescope.json", json.dumps(gradescope(results), indent=1, ensure_ascii=False) + "\n")
    write_file(folder / "classroom.json", json.dumps(classroom(results), indent=1, ensure_ascii=False) + "\n")
