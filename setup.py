# SPDX-License-Identifier: MIT
"""Builds the module of the Python package with CMake. pyproject.toml has the rest.

CAIRN_BUILD_FOLDER names a folder that CMake has configured before, such as build/release: what is built there is used.
Without it everything is built in build/pip."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = pathlib.Path(os.environ.get("CAIRN_BUILD_FOLDER", ROOT / "build" / "pip"))
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                            "-DCAIRN_BUILD_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}", "-DCAIRN_BUILD_TESTS=OFF",
                            "-DCAIRN_BUILD_APPS=OFF", "-DCAIRN_BUILD_EXAMPLES=OFF"], check=True)
        subprocess.run(["cmake", "--build", folder, "--target", "cairn_python"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        built = list((folder / "python" / "cairn").glob("_cairn*.so"))
        if len(built) != 1:
            raise RuntimeError(f"{folder} should hold one module _cairn and holds {len(built)}: remove it and build again")
        shutil.copy(built[0], target)


def version():
    return re.search(r"project\(cairn VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


setup(version=version(), ext_modules=[Extension("cairn._cairn", sources=[])], cmdclass={"build_ext": CMakeBuild})
