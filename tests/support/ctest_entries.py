"""The entries of ctest, for tests about the tests and for scripts/run_tests."""

import json
import subprocess


def ctest_entries(build):
    """{name: (words of its command, labels)} of a build folder."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, check=True).stdout
    return {
        entry["name"]: (entry["command"], [label for one in entry["properties"] if one["name"] == "LABELS" for label in one["value"]])
        for entry in json.loads(listed)["tests"]
    }
