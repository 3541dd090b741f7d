#!/usr/bin/env python3
"""Kills an apply at random moments, many times, and checks that nothing which a provider had made is lost.

usage: kill.py PRAVO TRACE_COMPONENT [TIMES]        (default 200)

Each round applies 200 resources, half of which are replacements (of both orders), and is killed with SIGKILL at a random moment. After the next apply every
id that the provider's log says was made and not deleted must be in a record or a deposed object, or belong to an address that is reported as uncertain. Then an
apply with `--retry` for each uncertain address must converge: the plan after it has nothing to do.
"""
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

ROOT = '''package kill

import (
	"list"
	trace "pravo.dev/providers/test/trace"
)

$trace: trace.#Provider & {$source: "file:COMPONENT", log: "log"}

_round: string @tag(round)

nodes: {
	for i in list.Range(0, 200, 1) {
		"n\\(i)": $trace.#Resource.trace_object & {
			name: "n\\(i)"
			if mod(i, 2) == 0 {replace_on: _round}
			if mod(i, 2) == 1 {input: _round}
			if mod(i, 4) == 0 {$lifecycle: create_before_destroy: true}
			if i >= 10 {text_01: nodes["n\\(i-10)"].output}
		}
	}
}
'''


def living(directory):
    """Ids that were made and not deleted, from the provider's own log."""
    alive = {}
    path = os.path.join(directory, 'log')
    for line in open(path) if os.path.exists(path) else []:
        sign, _, identity = line.strip().partition(' ')
        if sign == '+':
            alive[identity] = alive.get(identity, 0) + 1
        elif sign == '-':
            alive.pop(identity, None)
    return alive


def pravo(binary, directory, *arguments):
    return subprocess.run([binary, *arguments], cwd=directory, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def known(binary, directory):
    """Ids in records and deposed objects, and the uncertain addresses."""
    shown = json.loads(pravo(binary, directory, 'show', '--json').stdout)
    ids, uncertain = set(), []
    for record in shown['resources']:
        if record['status'] == 'uncertain':
            uncertain.append(record['address'])
        ids |= set(re.findall(r'"id": ?"([^"]+)"', json.dumps(record)))
    return ids, uncertain


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    binary, component = os.path.abspath(arguments[1]), os.path.abspath(arguments[2])
    times = int(arguments[3]) if len(arguments) > 3 else 200
    lost = uncertain_total = killed = stuck = 0
    with tempfile.TemporaryDirectory() as directory:
        with open(os.path.join(directory, 'main.cue'), 'w') as out:
            out.write(ROOT.replace('COMPONENT', component))
        pravo(binary, directory, 'init', '--approve')
        begun = time.monotonic()
        first = pravo(binary, directory, 'apply', '--auto-approve', '-t', 'round=0')
        whole = time.monotonic() - begun
        if first.returncode != 0:
            print(first.stdout[-2000:], first.stderr[-2000:])
            return 1
        written_off = set()
        for number in range(1, times + 1):
            tag = ('-t', f'round={number}')
            process = subprocess.Popen([binary, 'apply', '--auto-approve', *tag], cwd=directory, stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.uniform(0, whole * 1.1))
            if process.poll() is None:
                process.kill()
                killed += 1
            process.wait()
            # The next apply closes what was left open: what it cannot decide becomes uncertain.
            pravo(binary, directory, 'apply', '--auto-approve', *tag)
            ids, uncertain = known(binary, directory)
            missing = {identity for identity in living(directory) if identity not in ids} - written_off
            if len(missing) > len(uncertain):
                lost += len(missing) - len(uncertain)
                print(f'round {number}: {len(missing)} ids are in no record, {len(uncertain)} addresses are uncertain: {sorted(missing)[:3]}')
            written_off |= missing
            uncertain_total += len(uncertain)
            retry = [part for address in uncertain for part in ('--retry', address)]
            final = pravo(binary, directory, 'apply', '--auto-approve', *tag, *retry)
            after = pravo(binary, directory, 'plan', '--detailed-exitcode', *tag)
            if final.returncode != 0 or after.returncode != 0:
                print(f'round {number}: the apply with --retry ended with {final.returncode}, the plan after it with {after.returncode}\n{final.stderr[-1500:]}')
                stuck += 1
        twice = [identity for identity, count in living(directory).items() if count > 1]
    print(f'{times} rounds, {killed} killed, {uncertain_total} creates reported as uncertain ({len(written_off)} of them had been made), '
          f'{lost} ids lost, {len(twice)} made twice, {stuck} rounds did not converge')
    return 0 if lost == 0 and not twice and not stuck else 1


sys.exit(main(sys.argv))
