#!/usr/bin/env python3
"""Holds sources to their sizes: python3 tools/check_shape.py [ROOT]

A file has at most 400 lines, a function at most 60, a class at most 15 data members. The last is for
classes that keep an invariant: a struct of plain values (no private part, no function but operators and
one-line questions) may have as many as it stands for. Sources are read as clang-format and gofmt leave
them: what opens a block stands at the indentation of the line that closes it.
"""

import re
import subprocess
import sys
from pathlib import Path

MOST_LINES = 400
MOST_FUNCTION_LINES = 60
MOST_MEMBERS = 15
SOURCES = ("*.h", "*.cpp", "*.go", "*.js", "*.py", "*.sh", "dev", ".ci/run")
JS_FUNCTION = re.compile(r"(?:export )?(?:default )?(?:async )?function \w+\(|(?:test|after|before)\(")

COMMENT = re.compile(r"\s*(//|///)")
NOT_A_FUNCTION = re.compile(
    r"(namespace|class|struct|enum|union|extern|if|for|while|switch|do|else|return|case|using|[A-Z_]+)\b(?!.*\bTEST_CASE)")
TEST_CASE = re.compile(r'(?:TEMPLATE_)?TEST_CASE\("([^"]*)')
CLASS = re.compile(r"(\s*)(?:template <.*> )?(?:class|struct) (\w+(?:::\w+)*)(?: final)?(?: : .*)? \{$")
DATA_MEMBER = re.compile(
    r"(?!(?:using|friend|static|typedef|enum|class|struct|template|public|private|protected|return)\b)"
    r"[\w:<>,&*\s()\[\].\"]+?[\s&*>]\w+( = .*|\{.*\}|\[.*\])?;$")


def blocks(lines, is_function):
    """(first line, last line, head as one line) of each block whose head is a function's."""
    for last, line in enumerate(lines):
        close = re.match(r"(\s*)\}[;,)]*(?:  // .*)?$", line)
        if not close:
            continue
        indent, opening = close[1], last - 1
        while opening >= 0 and (not lines[opening].strip() or lines[opening].startswith((indent + " ", "#"))
                                or COMMENT.match(lines[opening])):
            opening -= 1
        first = opening
        while first > 0 and lines[first - 1].strip() and not re.search(r"[;{}:]$|^\s*(#|//)", lines[first - 1]):
            first -= 1
        head = " ".join(each.strip() for each in lines[first:opening + 1])
        if opening >= 0 and any(each.endswith("{") for each in lines[opening:last]) and is_function(head, indent):
            yield first, last, head


def is_cpp_function(head, _):
    return TEST_CASE.match(head) or "(" in head and not NOT_A_FUNCTION.match(head) and not re.search(r"= *\S*\{?$", head.split("(")[0])


def python_functions(lines):
    for first, line in enumerate(lines):
        if head := re.match(r"(\s*)def (\w+)", line):
            inside = [at for at in range(first + 1, len(lines)) if lines[at].strip()]
            end = next((at for at in inside if not lines[at].startswith(head[1] + " ")), len(lines))
            yield first, max((at for at in inside if at < end), default=first), head[2] + "("


def name_of(head):
    if test := TEST_CASE.match(head):
        return test[1]
    found = re.search(r"([~\w:-]+(?:operator\S+)?)\s*\(", head.removeprefix("func "))
    return found[1] if found else head[:40]


def long_functions(path, lines):
    if path.endswith((".h", ".cpp")):
        found = blocks(lines, is_cpp_function)
    elif path.endswith(".py"):
        found = python_functions(lines)
    elif path.endswith(".go"):
        found = blocks(lines, lambda head, indent: not indent and head.startswith("func "))
    elif path.endswith(".js"):
        found = blocks(lines, lambda head, indent: not indent and JS_FUNCTION.match(head))
    else:
        found = blocks(lines, lambda head, indent: not indent and re.match(r"[\w-]+\(\) \{", head))
    for first, last, head in found:
        if last - first + 1 > MOST_FUNCTION_LINES:
            yield first, last - first + 1, name_of(head)


def declarations(lines, first, indent):
    """What stands directly in the class that begins at `first`, each declaration as one line."""
    pending = ""
    for line in lines[first + 1:]:
        if line.startswith(indent + "}"):
            return
        text = re.sub(r"\s*//.*", "", line)
        if not text.strip() or not pending and not re.match(indent + r"  \S", text):
            continue
        pending = f"{pending} {text.strip()}".strip()
        if pending[-1] in ";{}":
            yield pending
            pending = ""


def big_classes(lines):
    """(line, data members, name) of each class with more than it may have."""
    for first, line in enumerate(lines):
        head = CLASS.match(line)
        if not head:
            continue
        indent = head[1]
        members, functions = 0, 0
        for each in declarations(lines, first, indent):
            plain = re.sub(r"std::function<.*>", "Function", each)
            if DATA_MEMBER.match(plain) and not re.search(r"\w\(.*\) *(const|noexcept|= default|= delete|override)*;$", plain):
                members += 1
            elif re.search(r"\w\(.*\).*[;{]$", plain) and "operator" not in plain:
                functions += not plain.startswith(("[[nodiscard]]", "static"))
        end = next((at for at in range(first + 1, len(lines)) if lines[at].startswith(indent + "}")), len(lines))
        private = any(each.strip() in ("private:", "protected:") for each in lines[first:end])
        if members > MOST_MEMBERS and (private or functions):
            yield first, members, head[2]


def problems_in(path, text):
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        yield f"{path}: {len(lines)} lines, at most {MOST_LINES}"
    for first, length, name in long_functions(path, lines):
        yield f"{path}:{first + 1}: {name} has {length} lines, at most {MOST_FUNCTION_LINES}"
    if path.endswith((".h", ".cpp")):
        for first, members, name in big_classes(lines):
            yield f"{path}:{first + 1}: {name} has {members} data members, at most {MOST_MEMBERS}"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "--", *SOURCES],
                            capture_output=True, text=True, check=True).stdout.split()
    files = sorted({file for file in listed if (root / file).is_file()})
    problems = [problem for file in files for problem in problems_in(file, (root / file).read_text())]
    print(*problems, sep="\n", end="\n" if problems else "")
    bad = len({problem.split(":")[0] for problem in problems})
    print(f"{len(files) - bad} passed, {bad} failed, 0 skipped")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
