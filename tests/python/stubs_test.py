# SPDX-License-Identifier: MIT
"""The stubs say what the module has, and mypy takes the snippet of the guide."""
import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

PACKAGE = pathlib.Path(importlib.util.find_spec("cairn").origin).parent
needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")


def mypy(tmp_path, *arguments):
    environment = dict(os.environ, MYPYPATH=str(PACKAGE.parent))
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)


def test_stubs_have_every_name_of_the_module(tmp_path):
    import cairn._cairn as module
    text = (PACKAGE / "_cairn.pyi").read_text()
    for name, value in vars(module).items():
        if name.startswith("__"):
            continue
        assert f"class {name}" in text or f"def {name}(" in text, name
        if not isinstance(value, type) or name == "Error":
            continue
        body = text.split(f"class {name}:")[1].split("\nclass ")[0]
        for member in vars(value):
            if not member.startswith("_"):
                assert f"    {member}: " in body or f"def {member}(" in body, f"{name}.{member}"


@needs_mypy
def test_mypy_takes_good_programs_and_refuses_bad_ones(tmp_path):
    good = tmp_path / "good.py"
    good.write_text("import cairn\n"
                    "world = cairn.World(gravity=(0, 0, -9.81))\n"
                    "box: cairn.BodyId = world.add_body(position=(0, 0, 2), shapes=[cairn.box((0.5, 0.5, 0.5))])\n"
                    "report = world.step(1 / 60)\n"
                    "height: float = world.positions[box.index, 2] + report.residual\n")
    bad = tmp_path / "bad.py"
    bad.write_text("import cairn\ncairn.World().add_body(kind='fxied')\ncairn.World().step('x')\ncairn.no_such()\n")
    result = mypy(tmp_path, "mypy", "--strict", str(good), str(bad))
    errors = [line for line in result.stdout.splitlines() if "error:" in line]
    assert len(errors) == 3 and all(line.startswith("bad.py") for line in errors), result.stdout
