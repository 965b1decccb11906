"""gen_site.py ROOT DIR PROGRAM: writes the sources of the documentation site into DIR.

They are the README, the pages of docs/, the pages beside the README, a page for each command, the lists of
metrics, verdicts, tables and flags, and the configuration of mkdocs. No text exists twice: the pages of commands
and the lists are what the program prints.
"""

import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT, DIR, PROGRAM = Path(sys.argv[1]), Path(sys.argv[2]), os.path.abspath(sys.argv[3])

# The parts of the navigation, with the names of their pages.
SECTIONS = [
    ("Use", ["start", "capture", "why", "numbers", "outputs", "live", "messages"]),
    ("Studies", ["pairs", "campaigns", "figures", "testing", "other-tools"]),
    ("Reference", ["metrics", "verdicts", "tables", "flags"]),
    ("Commands", None),
    ("Source", ["ARCHITECTURE", "CONTRIBUTING", "SECURITY", "CHANGELOG", "dependencies", "testdata"]),
]
# The pages outside docs/, by their place in the source tree.
BESIDE = {
    "README.md": "index", "ARCHITECTURE.md": "ARCHITECTURE", "CONTRIBUTING.md": "CONTRIBUTING", "SECURITY.md": "SECURITY",
    "CHANGELOG.md": "CHANGELOG", "testdata/README.md": "testdata",
}
titles = {}  # of pages, by their names


def run(*args, width=84):
    """Return what the program prints in lines of a width."""
    env = dict(os.environ, COLUMNS=str(width))
    return subprocess.run([PROGRAM, *args], check=True, capture_output=True, text=True, env=env).stdout


def put(name, text):
    path = DIR / "src" / (name + ".md")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    title = re.search(r"^# (.+)$", text, re.M)
    titles[name] = title[1] if title else name


def page(place, name):
    """Copy a page. Links lead to places in the site; those to files that the site does not have are removed."""

    def link(m):
        label, target, anchor = m[1], m[2], m[3] or ""
        if "://" in target:
            return m[0]
        path = os.path.normpath(os.path.join(os.path.dirname(place), target))
        if path in BESIDE:
            return f"[{label}]({BESIDE[path]}.md{anchor})"
        if path.startswith("docs/images/") or os.path.dirname(path) == "docs" and path.endswith(".md"):
            return f"[{label}]({path.removeprefix('docs/')}{anchor})"
        return label

    text = re.sub(r"^<!-- (begin|end) [a-z]+ -->\n", "", (ROOT / place).read_text(encoding="utf-8"), flags=re.M)
    text = re.sub(r"\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)", link, text)
    # mkdocs needs an empty line before a list, which GitHub does not.
    put(name, re.sub(r"^((?!- |  |\||`|\n).*\n)(?=- )", r"\1\n", text, flags=re.M))


def plain(text):
    """Return a text in which Markdown finds nothing of its own."""
    return html.escape(text, quote=False).replace("*", r"\*").replace("|", r"\|")


def entries(word, title):
    """Write a list of explain: a heading for each entry, with its labels. Texts below the entries stay Markdown."""
    text, _, below = run("explain", word, width=100000).partition("\n## ")
    out = [f"# {title}\n\n`mpanalyze explain NAME` prints one of these, `mpanalyze explain {word}` all.\n"]
    for entry in text.strip().split("\n\n"):
        name, *lines = entry.split("\n")
        if not lines or not lines[0].startswith("  in reports"):
            out += ["", *(f"- {plain(line)}" for line in entry.split("\n"))]
            continue
        out.append(f"\n## {name}\n")
        for line in lines:  # a label of 12 characters and a text; without a label, an item of the text before
            label, text = line[:14].strip(), plain(line[14:].strip())
            out.append(f"- **{label}:** {text}" if label else f"    {text}" if text.startswith("- ") else f"\n    {text}\n")
    put(word, "\n".join(out) + "\n" + (f"\n## {re.sub(r'<!--.*-->', '', below)}" if below else ""))


def rows(word, title):
    """Write a table of explain: a heading for each group of rows, which their first column names."""
    out, last = [f"# {title}\n\n`mpanalyze explain {word}` prints this list.\n"], None
    head, *lines = run("explain", word).splitlines()
    for line in lines:
        group, name, *rest = map(plain, line.split("\t"))
        if group != last:
            columns = head.split("\t")[1:]
            out.append(f"\n## {group}\n\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}")
            last = group
        out.append(f"| `{name}` | {' | '.join(rest)} |")
    put(word, "\n".join(out) + "\n")


def commands():
    """Write a page for each command and return their names."""
    names = []
    for line in run("__complete", "").splitlines():
        name, tab, short = line.partition("\t")
        if tab and name != "help":
            text = run(name, "--help-all")
            put("commands/" + name, f"# mpanalyze {name}\n\n{short}.\n\n```text\n{text}```\n")
            names.append("commands/" + name)
    return names


def main():
    for path in sorted((ROOT / "docs").glob("*.md")):
        page(f"docs/{path.name}", path.stem)
    for place, name in BESIDE.items():
        page(place, name)
    for word, title in (("metrics", "All metrics"), ("verdicts", "All verdicts")):
        entries(word, title)
    for word, title in (("tables", "All tables and columns"), ("flags", "All flags")):
        rows(word, title)
    listed = commands()
    nav, here = [], Path(__file__).parent
    for section, pages in SECTIONS:
        nav.append(f'  - "{section}":')
        nav += [f'    - "{titles[name]}": {name}.md' for name in pages or listed]
    missing = titles.keys() - {"index"} - {name for _, pages in SECTIONS for name in pages or listed}
    if missing:
        sys.exit(f"gen_site.py: no section of the navigation has {', '.join(sorted(missing))}")
    shutil.copytree(ROOT / "docs/images", DIR / "src/images")
    (DIR / "src/assets").mkdir()
    shutil.copy(here / "site.css", DIR / "src/assets")
    frame = (here / "mkdocs.yml").read_text(encoding="utf-8")
    (DIR / "mkdocs.yml").write_text(frame + "docs_dir: src\nsite_dir: html\nnav:\n  - Overview: index.md\n" + "\n".join(nav) + "\n", encoding="utf-8")


main()
