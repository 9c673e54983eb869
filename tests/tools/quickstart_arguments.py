"""tools/quickstart: wrong arguments are one clear line, and nobody's files are ever removed.

usage: quickstart_arguments.py QUICKSTART
Every call here must stop before it installs or builds anything.
"""
import pathlib
import subprocess
import sys
import tempfile

quickstart = sys.argv[1]


def refused(arguments, says, cwd):
    result = subprocess.run([quickstart, *arguments], cwd=cwd, capture_output=True, text=True, timeout=20)
    assert result.returncode == 2, (arguments, result)
    assert result.stderr.count("\n") == 1 and says in result.stderr, (arguments, result.stderr)
    assert result.stdout == "", (arguments, result.stdout)


with tempfile.TemporaryDirectory() as name:
    work = pathlib.Path(name)
    (work / "mine").mkdir()
    (work / "mine" / "thesis.txt").write_text("years of work")
    (work / "file").write_text("x")
    refused(["--requests"], "--requests needs a value", work)
    refused(["--requests", "many"], "not a number", work)
    refused(["--requests", "0"], "not a number", work)
    refused(["--speed", "-1"], "not a number", work)
    refused(["--out"], "--out needs a value", work)
    refused(["--colour"], "unknown argument '--colour'", work)
    refused(["--out", "file"], "is not a folder", work)
    # Relative to where the caller stands, not to the checkout.
    refused(["--out", "mine"], f"{work}/mine holds files that no quickstart made", work)
    refused(["--out", str(work / "mine")], "holds files that no quickstart made", "/")
    assert (work / "mine" / "thesis.txt").read_text() == "years of work"
    help_text = subprocess.run([quickstart, "--help"], capture_output=True, text=True, timeout=20)
    assert help_text.returncode == 0 and "--out DIR" in help_text.stdout and "which is emptied" in help_text.stdout
print("ok")
