#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Tests utils/check-layers and utils/check-docs: each must name the fault that is put before it, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

UTILS = pathlib.Path(__file__).resolve().parent.parent.parent / "utils"


def run(script, *arguments):
    """Runs a script of utils/; returns its exit status and its output lines."""
    result = subprocess.run(
        [sys.executable, UTILS / script, *arguments], stdout=subprocess.PIPE, text=True, check=False
    )
    return result.returncode, result.stdout.splitlines()


class WithFolder(unittest.TestCase):
    """Each test has an empty folder of its own."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.root = pathlib.Path(self.temporary.name)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path


class CheckLayers(WithFolder):
    def check(self, files, listed=None):
        """Runs check-layers over files (name: text), all of which CMakeLists.txt lists unless told otherwise."""
        for name, text in files.items():
            self.write(name, text)
        self.write("CMakeLists.txt", "\n".join(files if listed is None else listed))
        return run("check-layers", str(self.root))

    def test_right_direction(self):
        status, lines = self.check(
            {
                "model/common/a.h": "#include <vector>\n",
                "model/wire/b.h": '#include "ns3/a.h"\n#include "ns3/packet.h"\n',
                "model/nic/c.h": '#include "ns3/b.h"\n',
                "helper/d.h": '#include "ns3/c.h"\n',
            }
        )
        self.assertEqual((status, len(lines)), (0, 1))

    def test_wrong_direction(self):
        status, lines = self.check(
            {"model/wire/b.h": '\n#include "ns3/c.h"\n', "model/switch/c.h": "", "model/verbs/d.h": '#include "ns3/c.h"'}
        )
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "model/verbs/d.h:1: verbs must not include model/switch/c.h",
                "model/wire/b.h:2: wire must not include model/switch/c.h",
            ],
        )

    def test_model_includes_helper(self):
        status, lines = self.check({"model/workload/a.cc": "#include <ns3/h.h>\n", "helper/h.h": ""})
        self.assertEqual((status, lines), (1, ["model/workload/a.cc:1: workload must not include helper/h.h"]))

    def test_relative_path(self):
        status, lines = self.check({"model/wire/b.h": '#include "../common/a.h"\n', "model/common/a.h": ""})
        self.assertEqual((status, lines), (1, ['model/wire/b.h:1: write "ns3/a.h" instead of "../common/a.h"']))

    def test_lists(self):
        status, lines = self.check({"model/wire/b.h": ""}, ["model/wire/gone.cc"])
        self.assertEqual(
            (status, lines),
            (
                1,
                [
                    "model/wire/b.h:1: is not in CMakeLists.txt",
                    "CMakeLists.txt:1: lists model/wire/gone.cc, which does not exist",
                ],
            ),
        )

    def test_same_name_and_unknown_folder(self):
        status, lines = self.check({"model/wire/b.h": "", "helper/b.h": "", "model/misc/x.h": ""})
        self.assertEqual(status, 1)
        self.assertEqual(
            lines,
            [
                "model/wire/b.h:1: helper/b.h has the same file name",
                "model/misc/x.h:1: model/ has no folder 'misc' in the design",
            ],
        )


class CheckDocs(WithFolder):
    def summary(self, name, text):
        """Runs check-docs over one file; returns the exit status and the last line."""
        status, lines = run("check-docs", str(self.write(name, text)))
        return status, lines[-1]

    def test_markdown(self):
        text = "```console\n$ x=1\n$ test $x = 1\noutput\n```\n```sh\n$ false\n```\n"
        self.assertEqual(self.summary("a.md", text), (0, "check-docs: 1 passed, 0 failed, 0 skipped"))

    def test_failure(self):
        text = "```console\n$ false\n$ true\n```\n"
        self.assertEqual(self.summary("a.md", text), (1, "check-docs: 0 passed, 1 failed, 0 skipped"))

    def test_skip(self):
        text = "<!-- check-docs: skip, why -->\n```console\n$ false\n```\n\n```console\n$ true\n```\n"
        self.assertEqual(self.summary("a.md", text), (0, "check-docs: 1 passed, 0 failed, 1 skipped"))

    def test_restructured_text(self):
        text = (
            "Text\n\n.. code-block:: console\n\n   $ echo a \\\n   > | grep a\n\nMore\n\n"
            ".. check-docs: skip, why\n\n.. code-block:: console\n\n   $ false\n"
        )
        self.assertEqual(self.summary("a.rst", text), (0, "check-docs: 1 passed, 0 failed, 1 skipped"))


if __name__ == "__main__":
    unittest.main()
