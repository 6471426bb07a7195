#!/usr/bin/env python3
"""Measures the structure of the source tree, and how long it takes to build.

Prints one table: lines of code by room, the lengths of functions, the share of documentation, twin types,
the largest circle of imports, direct dependencies. With --build also processor seconds of cold and warm
builds, in a target folder of its own. Needs Python 3.9 and nothing else.
"""

import argparse
import collections
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOMS = ("cluster universe placement policies cycle source explain farm capacity query session console "
         "command").split()


def rust_files(src):
    return sorted(path for path in src.rglob("*.rs"))


def is_test_file(path):
    return path.name == "tests.rs" or "tests" in path.parts[path.parts.index("src"):]


def without_tests(text):
    """The text before its `#[cfg(test)] mod tests { ... }`, which stands last in a file."""
    found = re.search(r"^#\[cfg\(test\)\]\s*\nmod \w+ \{", text, re.M)
    return text[:found.start()] if found else text


def room_of(path, src):
    parts = list(path.relative_to(src).with_suffix("").parts)
    named = [part for part in parts if part in ROOMS]
    if "policies" in named and "placement" in named:
        return "policies"
    return named[0] if named else parts[0] if len(parts) > 1 else "root"


def functions(text):
    """Lengths in lines, from the signature to the closing brace."""
    lines = text.split("\n")
    lengths = []
    for start, line in enumerate(lines):
        head = re.match(r"(\s*)(?:pub(?:\([^)]*\))? )?(?:const )?fn \w", line)
        if not head:
            continue
        for end in range(start, len(lines)):
            if lines[end].rstrip().endswith(";") and end - start < 8 and "{" not in "".join(lines[start:end + 1]):
                break
            if lines[end].startswith(head[1] + "}") or (end == start and line.rstrip().endswith("}")):
                lengths.append(end - start + 1)
                break
    return lengths


def is_trivial(doc, item):
    """Whether a comment has no word that is not in the name of its item."""
    words = {word for word in re.findall(r"[a-z]+", doc.lower()) if len(word) > 3}
    name = set(re.findall(r"[a-z]+", re.sub(r"([A-Z])", r" \1", item).lower()))
    stem = {word[:4] for word in name}
    return bool(words) and all(word[:4] in stem for word in words)


def trivial_docs(text):
    """Counts comments of one line; the last line of a longer one alone says nothing."""
    text = re.sub(r"(?:^[ \t]*///[^\n]*\n){2,}", "", text, flags=re.M)
    found = re.findall(r"^\s*/// ([^\n]*)\n(?:\s*#\[[^\n]*\n)*\s*(?:pub[^\n]*?)?(?:fn|struct|enum|const|type|mod)? ?(\w+)",
                       text, re.M)
    return sum(is_trivial(doc, item) for doc, item in found)


def modules(src):
    """Files by the path of their module, crates by the name of their folder."""
    table = {}
    for path in rust_files(src):
        parts = list(path.relative_to(src).with_suffix("").parts)
        if parts[-1] == "lib":
            parts = parts[:-1]
        table["::".join(parts)] = path
    return table


def module_path(words, base, name):
    """The path that words of an import stand for in a module; words that begin outside are left as they are."""
    here, words = name.split("::") if name else [], list(words)
    while words and words[0] in ("crate", "super", "self"):
        word = words.pop(0)
        if word == "crate":
            here = [base] if base else []
        elif word == "super":
            here = here[:-1]
    if words and words[0].startswith("qscope_"):
        here, words = [words[0][7:]], words[1:]
    return here + words


def imported(text):
    """The paths that a text names, those in braces one by one; a path that begins with a child's name is not among them."""
    for head, names in re.findall(r"\b((?:crate|super|self|qscope_\w+)(?:::\w+)*)::\{([^{}]*)\}", text):
        for name in re.findall(r"\w+", re.sub(r" as \w+", "", names)):
            yield (head + "::" + name).split("::")
    for found in re.findall(r"\b((?:crate|super|self|qscope_\w+)(?:::\w+)+)(?![\w:])", text):
        yield found.split("::")


def faces(table, base_of):
    """For each module the names that it has from others, and where each stands there."""
    faces = collections.defaultdict(dict)
    for name, path in table.items():
        text = without_tests(path.read_text())
        for head, names in re.findall(r"^pub(?:\([^)]*\))? use ([\w:]+)::(\{[^{}]*\}|\w+);", text, re.M):
            words = head.split("::")
            if words[0] not in ("crate", "super", "self") and not words[0].startswith("qscope_"):
                words = ["self", *words]
            goal = module_path(words, base_of(name), name)
            for item in re.findall(r"\w+", names):
                faces[name][item] = goal + [item]
    return faces


def imports(table, src):
    """Which module names something of which: where that is had by another one's face, the module that it stands in."""
    crates = {p.parent.name for p in src.glob("*/Cargo.toml")}

    def base_of(name):
        return name.split("::")[0] if name.split("::")[0] in crates else ""

    shown = faces(table, base_of)

    def standing(path, most=9):
        for length in range(len(path) - 1, -1, -1):
            module = "::".join(path[:length])
            if module in table:
                onward = shown[module].get(path[length])
                return standing(onward + path[length + 1:], most - 1) if onward and most else path
        return path

    edges = collections.defaultdict(set)
    for name, path in table.items():
        # A link in a comment is no import.
        text = re.sub(r"^\s*//[^\n]*", "", without_tests(path.read_text()), flags=re.M)
        for words in imported(text):
            path_parts = standing(module_path(words, base_of(name), name))
            while path_parts and "::".join(path_parts) not in table:
                path_parts = path_parts[:-1]
            goal = "::".join(path_parts)
            # A parent that names its children, and a child its parent, is one thing in several files.
            related = goal == name or goal.startswith(name + "::") or name.startswith(goal + "::")
            if goal and not related:
                edges[name].add(goal)
    return edges


def largest_circle(edges):
    """Tarjan's strongly connected components, without recursion limits to meet."""
    sys.setrecursionlimit(100_000)
    index, low, stack, on, best = {}, {}, [], set(), []

    def visit(node):
        nonlocal best
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for goal in edges.get(node, ()):
            if goal not in index:
                visit(goal)
                low[node] = min(low[node], low[goal])
            elif goal in on:
                low[node] = min(low[node], index[goal])
        if low[node] == index[node]:
            circle = []
            while True:
                last = stack.pop()
                on.discard(last)
                circle.append(last)
                if last == node:
                    break
            if len(circle) > len(best):
                best = circle

    for node in list(edges):
        if node not in index:
            visit(node)
    return best


def percentile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0


def dependencies(root):
    direct = set()
    for manifest in [root / "Cargo.toml", *root.glob("src/*/Cargo.toml")]:
        section = ""
        for line in manifest.read_text().split("\n"):
            if line.startswith("["):
                section = line.strip("[]")
            elif section in ("dependencies", "workspace.dependencies") and re.match(r"[\w-]+", line):
                direct.add(re.match(r"[\w-]+", line)[0])
    dev = re.split(r"# Only for tests|\[dev-dependencies\]", (root / "Cargo.toml").read_text())
    tests = set(re.findall(r"^([\w-]+) = ", dev[1].split("\n[")[0], re.M)) if len(dev) > 1 else set()
    return sorted(name for name in direct - tests if not name.startswith("qscope"))


def report(root):
    src = root / "src"
    code, docs, comments, lengths, trivial = collections.Counter(), 0, 0, [], 0
    types = collections.Counter()
    total = 0
    for path in rust_files(src):
        text = path.read_text()
        total += text.count("\n")
        if is_test_file(path):
            continue
        text = without_tests(text)
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        docs += sum(line.startswith(("///", "//!")) for line in lines)
        comments += sum(line.startswith("//") and not line.startswith(("///", "//!")) for line in lines)
        code[room_of(path, src)] += sum(not line.startswith("//") for line in lines)
        lengths += functions(text)
        trivial += trivial_docs(text)
        types.update(re.findall(r"^\s*(?:pub(?:\([^)]*\))? )?(?:struct|enum) (\w+)", text, re.M))
    whole = sum(code.values())
    print(f"files {len(rust_files(src))}, lines {total}, code without tests, comments and blank lines {whole}")
    for room, count in sorted(code.items(), key=lambda pair: -pair[1]):
        print(f"  {room:<12}{count:>7}")
    print(f"functions {len(lengths)}: median {statistics.median(lengths):.0f}, p99 {percentile(lengths, 0.99)}, "
          f"max {max(lengths)} lines")
    print(f"doc lines {docs} ({100 * docs / (whole + docs + comments):.1f} %), trivial docs {trivial}, "
          f"other comment lines {comments} ({100 * comments / (whole + docs + comments):.1f} %)")
    twins = {name: count for name, count in types.items() if count > 1}
    print(f"names that several types share {len(twins)}: "
          + ", ".join(f"{name} {count}" for name, count in sorted(twins.items(), key=lambda p: -p[1])[:12]))
    circle = largest_circle(imports(modules(src), src))
    print(f"largest circle of imports {len(circle)} files: " + " ".join(sorted(circle)[:12]))
    direct = dependencies(root)
    print(f"direct dependencies {len(direct)}")


def processor_seconds(command, root, target):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=root, check=True, env={**os.environ, "CARGO_TARGET_DIR": str(target)},
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def build_times(root):
    src = root / "src"
    engine = next(path for path in rust_files(src) if path.name == "bucket_path.rs")
    view = next(path for path in rust_files(src) if path.parent.name == "views" and path.name == "pools.rs")
    target = Path(tempfile.mkdtemp(prefix="structure-"))
    test = ["cargo", "test", "--no-run"]
    try:
        print(f"cold release build {processor_seconds(['cargo', 'build', '--release'], root, target):.1f} CPU s")
        shutil.rmtree(target)
        print(f"cold test build {processor_seconds(test, root, target):.1f} CPU s")
        for name, path in (("engine file", engine), ("view", view)):
            for what, command in (("build", ["cargo", "build"]), ("test build", test)):
                processor_seconds(command, root, target)
                path.touch()
                print(f"{what} after touching one {name} {processor_seconds(command, root, target):.1f} CPU s")
        print(f"tests run {processor_seconds(['cargo', 'test'], root, target):.1f} CPU s")
    finally:
        shutil.rmtree(target, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="store_true", help="measure builds too")
    parser.add_argument("checkout", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    report(arguments.checkout)
    if arguments.build:
        build_times(arguments.checkout)


if __name__ == "__main__":
    main()
