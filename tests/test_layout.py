"""The shape of the code: arrows point one way, and a status has one writer."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("taskboard", "approvals")
# They create rows, whose first status is no move, or they build documents and test doubles.
WRITERS = {"taskboard/lifecycle.py", "approvals/decisions.py"}


def sources() -> Iterator[tuple[str, ast.Module]]:
    for app in APPS:
        for path in sorted((ROOT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def imported(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def writes_status(node: ast.AST) -> bool:
    """`row.status = …`, `.update(status=…)`, `update_fields=["status"]`, `bulk_update(…, ["status"])`."""
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(target, ast.Attribute) and target.attr == "status" for target in targets)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr in {"update", "aupdate"}:
        return any(keyword.arg == "status" for keyword in node.keywords)
    if node.func.attr in {"save", "asave", "bulk_update", "bulk_create"}:
        named = [keyword.value for keyword in node.keywords if keyword.arg in {"update_fields", "fields"}]
        lists = [part for part in [*node.args, *named] if isinstance(part, ast.List | ast.Tuple)]
        return any(
            isinstance(part, ast.Constant) and part.value == "status" for each in lists for part in each.elts
        )
    return False


def test_only_one_module_per_app_writes_a_status() -> None:
    found = {
        f"{name}:{node.lineno}"
        for name, tree in sources()
        if name not in WRITERS
        for node in ast.walk(tree)
        if writes_status(node)
    }
    assert found == set()


def test_taskboard_imports_neither_approvals_nor_config() -> None:
    back = [
        (name, module)
        for name, tree in sources()
        if name.startswith("taskboard/")
        for module in imported(tree)
        if module.split(".")[0] in {"approvals", "config"}
    ]
    assert back == []


def test_nothing_is_imported_inside_a_function() -> None:
    functions = (
        (name, node)
        for name, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    inside = {
        f"{name}:{part.lineno}"
        for name, function in functions
        for part in ast.walk(function)
        if isinstance(part, ast.Import | ast.ImportFrom)
        and not (name.endswith("apps.py") and function.name == "ready")
    }
    assert inside == set()


@pytest.mark.parametrize("name", [name for name, _ in sources()])
def test_every_module_says_in_one_line_what_it_is(name: str) -> None:
    tree = ast.parse((ROOT / name).read_text(encoding="utf-8"))
    assert not tree.body or ast.get_docstring(tree)


def test_no_template_holds_inline_script_or_style() -> None:
    found = [
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "templates").rglob("*.html")
        for text in [path.read_text(encoding="utf-8")]
        if "<style" in text
        or "style=" in text
        or "hx-on" in text
        or "<script>" in text
        or "javascript:" in text
    ]
    assert found == []
