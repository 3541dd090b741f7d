#!/usr/bin/env python3
"""Compares `pravo eval --out json` with `cue export` on the same files, whole processes, in turn.

usage: cue.py PRAVO SHAPES_SCRIPT [SHAPE:N …]

SHAPES_SCRIPT writes a shape of a size into a directory (`SHAPE N DIRECTORY`). The outputs must be equal, byte for byte.
Where `cue` is not on the PATH, only pravo is measured.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

from measure import median

DEFAULT = ['kubernetes:400', 'kubernetes:1600', 'list:10000', 'list:50000', 'chain:10000', 'flat:5000', 'disjunction:2000', 'templates:2000']


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    pravo, script = os.path.abspath(arguments[1]), os.path.abspath(arguments[2])
    cue = shutil.which('cue')
    print(f'{"shape":20} {"pravo s":>9} {"cpu":>7} {"MB":>7} {"cue s":>9} {"cpu":>7} {"MB":>7} {"times faster":>13} {"of memory":>10}  same')
    for shape in arguments[3:] or DEFAULT:
        name, size = shape.split(':')
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run([sys.executable, script, name, size, directory], check=True)
            ours = median([pravo, 'eval', '--out', 'json'], directory)
            if not cue:
                print(f'{shape:20} {ours.seconds:9.3f} {ours.processor:7.2f} {ours.megabytes:7.1f}')
                continue
            theirs = median([cue, 'export'], directory)
            same = json.loads(ours.stdout) == json.loads(theirs.stdout)
            print(f'{shape:20} {ours.seconds:9.3f} {ours.processor:7.2f} {ours.megabytes:7.1f} '
                  f'{theirs.seconds:9.3f} {theirs.processor:7.2f} {theirs.megabytes:7.1f} '
                  f'{theirs.seconds / ours.seconds:13.1f} {ours.megabytes / theirs.megabytes:10.2f}  {same}')
    return 0


sys.exit(main(sys.argv))
