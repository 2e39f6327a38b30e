"""How large is the code? Lines of code and modules by package, without blank lines, comments and docstrings.

Run: python -m benchmarks.size [FOLDER]
"""

from __future__ import annotations

import ast
import sys
import tokenize
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "src" / "fairbrief"
NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER, tokenize.ENCODING,
}  # fmt: skip


def code_lines(path: Path) -> int:
    """The lines of a file that hold code."""
    with path.open("rb") as file:
        tokens = [token for token in tokenize.tokenize(file.readline) if token.type not in NO_CODE]
    lines = {line for token in tokens for line in range(token.start[0], token.end[0] + 1)}
    return len(lines - _docstring_lines(ast.parse(path.read_bytes())))


def _docstring_lines(tree: ast.Module) -> set[int]:
    """Texts that stand as statements of their own: of modules, classes, functions and fields."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }  # fmt: skip


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else SOURCES
    by_package: dict[str, list[int]] = defaultdict(list)
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        by_package[parts[0] if len(parts) > 1 else "(root)"].append(code_lines(path))
    print(f"{'package':<16}{'code lines':>11}{'modules':>9}{'longest':>9}")
    for package, sizes in sorted(by_package.items(), key=lambda item: -sum(item[1])):
        print(f"{package:<16}{sum(sizes):>11,}{len(sizes):>9}{max(sizes):>9}")
    every = [size for sizes in by_package.values() for size in sizes]
    print(f"{'all':<16}{sum(every):>11,}{len(every):>9}{max(every):>9}")


if __name__ == "__main__":
    main()
