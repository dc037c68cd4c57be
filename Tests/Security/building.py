"""What a package is built from."""

import os
import shutil
import subprocess
import tempfile

import processes
from processes import expect
from provisioned import ROOT


def tracked_files():
    """A file that git does not track, such as a key, is in no package."""
    folder = tempfile.mkdtemp(prefix="sources-", dir=processes.TEMP)
    shutil.copytree(ROOT / "packaging", f"{folder}/packaging")
    for command in (["init", "-q"], ["add", "packaging/lib.sh"]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    with open(f"{folder}/packaging/alice.key", "w") as file:
        file.write("secret")
    os.mkdir(f"{folder}/copy")
    copied = subprocess.run(["bash", "-c", f"set -euo pipefail; . {folder}/packaging/lib.sh; copy_tracked {folder}/copy"])
    expect(copied.returncode == 0, "the copy failed")
    names = [name for _, _, files in os.walk(f"{folder}/copy") for name in files]
    expect(names == ["lib.sh"], f"{names}")
    return "1 file of 2"


SCENARIOS = [tracked_files]
