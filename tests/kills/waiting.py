"""A program that is under way: started in a process of its own, and waiting to be ended."""

import subprocess
import sys
from pathlib import Path


def started(program: str, folder: Path) -> "subprocess.Popen[bytes]":
    """Run a program on a folder until it says that it is ready."""
    running = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE)
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    return running
