#!/usr/bin/env python3
"""Makes the web site of the book from the same files that one reads in the repository: `make docs`.

Pages are copied to build-docs/pages without the book's markers, with links between them as the site needs them. A
source file that a page links becomes a page too. Zensical (a Python package) then builds build-docs/site; it is
installed into build-docs/venv. The site can be read as files; its search needs a server, as the output says.
"""
import argparse
import pathlib
import posixpath
import re
import shutil
import subprocess
import sys
import urllib.parse
import venv

from book import Book
from book_checks import is_external, links
from book_text import BLOCK, INLINE, VALUES, typed_fences
from lint_tree import ROOT

ZENSICAL = "zensical==0.0.73"
# Sections of the navigation: title, then the pages of docs/ in it. Chapters list themselves.
NAVIGATION = [("Reading and teaching", ["how-to-read", "teaching", "glossary", "numerics", "roofline"]),
              ("Changing it", ["architecture", "adding-a-model-family", "adding-a-cache-layer",
                               "adding-a-processor", "adding-an-exercise", "adding-a-chapter"]),
              ("About", ["third_party"])]
LANGUAGES = {"cpp": "cpp", "h": "cpp", "py": "python", "sh": "bash", "toml": "toml", "json": "json"}
NOT_SEARCHED = "---\nsearch:\n  exclude: true\n---\n"

CONFIG = """# Written by tests/course/book_site.py.
[project]
site_name = "Next Token"
site_description = "LLM text generation, built from scratch in C++20"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = false
copyright = "Apache License 2.0"
extra_css = ["extra.css"]
nav = [
{nav}
]

[project.theme]
language = "en"
font = false
features = ["navigation.sections", "navigation.footer", "navigation.top", "content.code.copy", "search.highlight"]

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Dark colours"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Light colours"
"""
CSS = """.md-grid { max-width: 72rem; }
.md-typeset img[src$=".svg"] { width: 100%; max-width: 48rem; }
.md-typeset pre > code { font-size: .61rem; line-height: 1.5; }
.md-typeset table:not([class]) { font-size: .7rem; }
.md-typeset table:not([class]) th, .md-typeset table:not([class]) td { padding: .5em .8em; }
@media (max-width: 40em) {  /* a phone: figures keep a readable size and scroll, as code does */
  .md-typeset p:has(> img[src$=".svg"]) { overflow-x: auto; }
  .md-typeset img[src$=".svg"] { width: 34rem; max-width: none; }
  .md-typeset table:not([class]) th, .md-typeset table:not([class]) td { padding: .4em .5em; min-width: 4em; }
}
"""


def staged_name(name, pages):
    """Where a file of the repository stands among the site's pages."""
    if name == "README.md":
        return "readme.md"
    if name in pages:
        name = name.removeprefix("docs/")
        return re.sub(r"README\.md$", "index.md", name)
    if name.startswith("docs/figures/"):
        return name.removeprefix("docs/")
    return f"source/{name or 'index'}.md"


def title_of(text):
    """A page's first heading, without what follows a colon."""
    heading = re.search(r"^# (.+)$", text, re.MULTILINE)
    return heading[1].split(":")[0].replace("`", "").strip() if heading else "Next Token"


class Site:
    def __init__(self, book, out):
        self.book, self.out, self.linked = book, out, set()

    def page(self, name, text):
        """A page's text without markers, its links turned to the site's pages."""
        typed = [text[begin:end] for begin, end in typed_fences(text)]
        for i, code in enumerate(typed):  # which may speak about markers
            text = text.replace(code, f"@typed {i}@", 1)
        text = VALUES.sub("", text)
        text = BLOCK.sub(lambda match: re.sub(r"<!-- made from .*? -->\n", "", match["body"]), text)
        text = INLINE.sub(r"\2", text)
        text = re.sub(r"@typed (\d+)@", lambda match: typed[int(match[1])], text)
        # In a table GitHub needs a backslash before a bar, in code too; here it would be shown.
        text = re.sub(r"^\|.*\|$", lambda row: re.sub(r"`[^`]*`", lambda code: code[0].replace("\\|", "|"), row[0]),
                      text, flags=re.MULTILINE)
        here = posixpath.dirname(staged_name(name, self.book.pages))
        parts, done = [], 0
        for link in links(text):
            if is_external(link[1]) or link[1].startswith("#"):
                continue
            parts += [text[done:link.start(1)], self.target(name, link[1], here)]
            done = link.end(1)
        return "".join(parts) + text[done:]

    def target(self, name, link, here):
        path, _, anchor = urllib.parse.unquote(link).partition("#")
        there = self.book.resolve(name, path)
        if f"{there}/README.md" in self.book.pages:
            there = f"{there}/README.md"
        if there not in self.book.pages:
            self.linked.add(there)
        relative = posixpath.relpath(staged_name(there, self.book.pages), here or ".")
        return relative + (f"#{anchor}" if anchor and there in self.book.pages else "")

    def write(self, name, text):
        path = self.out / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def source_page(self, name):
        """A file as a page with its code, a folder as a list of its files."""
        path = self.book.root / name
        if path.is_dir():
            files = [file for file in self.book.tree.files if file.startswith(f"{name}/")]
            listed = "\n".join(f"- `{file.removeprefix(f'{name}/')}`" for file in files)
            return f"{NOT_SEARCHED}# {name}/\n\nThe files of this folder, in the repository:\n\n{listed}\n"
        language = LANGUAGES.get(name.rsplit(".", 1)[-1], "text")
        text = "\n".join(line for line in self.book.tree.text(name).splitlines() if "--8<--" not in line)
        return f"{NOT_SEARCHED}# {name}\n\n````{language}\n{text}\n````\n"

    def navigation(self):
        """The nav of zensical.toml."""
        entry = lambda title, name: f'{{ "{title}" = "{staged_name(name, self.book.pages)}" }}'
        lines = [entry("Next Token", "docs/index.md"), entry("Install and run", "README.md")]
        chapters = [name for name in self.book.pages if re.match(r"chapters/\d", name)]
        listed = ", ".join(entry(title_of(self.book.pages[name]), name) for name in chapters)
        lines.append(f'{{ "Chapters" = [{listed}] }}')
        for section, names in NAVIGATION:
            pages = {f"docs/{name}.md": self.book.pages[f"docs/{name}.md"] for name in names}
            listed = ", ".join(entry(title_of(text), page) for page, text in pages.items())
            lines.append(f'{{ "{section}" = [{listed}] }}')
        return ",\n".join(f"  {line}" for line in lines)

    def stage(self):
        """Writes build-docs/pages and zensical.toml; returns the pages that the navigation leaves out."""
        shutil.rmtree(self.out / "pages", ignore_errors=True)
        for name, text in self.book.pages.items():
            self.write(staged_name(name, self.book.pages), self.page(name, text))
        for name in sorted(self.linked):
            if name.startswith("docs/figures/"):
                self.write(staged_name(name, self.book.pages), (self.book.root / name).read_text())
            else:
                self.write(staged_name(name, self.book.pages), self.source_page(name))
        self.write("extra.css", CSS)
        (self.out / "zensical.toml").write_text(CONFIG.replace("{nav}", self.navigation()))


def zensical(out):
    """The path of the program, installed into build-docs/venv if it is not there."""
    program = out / "venv/bin/zensical"
    wanted = out / "venv" / ZENSICAL
    if not wanted.exists():
        print(f"installing {ZENSICAL} into {out.name}/venv", flush=True)
        venv.create(out / "venv", with_pip=True, clear=True)
        subprocess.run([out / "venv/bin/pip", "install", "--quiet", ZENSICAL], check=True)
        wanted.touch()
    return program


def broken_links(site):
    """(page, target) of links in the built pages that lead to no file, and of scripts from elsewhere."""
    for page in sorted(set(site.rglob("*.html")) - {site / "404.html"}):  # whose links begin at the server's root
        text = page.read_text()
        for loaded in re.findall(r'<(?:script|link rel="?stylesheet"?)[^>]*(?:src|href)="?([^"\s>]+)', text):
            if is_external(loaded) or loaded.startswith("//"):
                yield page.relative_to(site), loaded
        for target in re.findall(r'(?:href|src)="?([^"\s>]+)', text):
            path = urllib.parse.unquote(target.split("#")[0].split("?")[0])
            if path and not is_external(target) and not target.startswith("//"):
                if not (page.parent / path).exists():
                    yield page.relative_to(site), target


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stage", action="store_true", help="write build-docs/pages only")
    args = parser.parse_args()
    out = ROOT / "build-docs"
    out.mkdir(exist_ok=True)
    Site(Book(ROOT, "build"), out).stage()
    if args.stage:
        return
    done = subprocess.run([zensical(out), "build", "--clean"], cwd=out)
    broken = list(broken_links(out / "site")) if done.returncode == 0 else []
    for page, target in broken:
        print(f"error: {page}: dead link {target}")
    if done.returncode != 0 or broken:
        sys.exit(1)
    print("open build-docs/site/index.html; for the search serve it:\n"
          "  python3 -m http.server --directory build-docs/site    and open http://localhost:8000")


if __name__ == "__main__":
    main()
