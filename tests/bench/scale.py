#!/usr/bin/env python3
"""Plans and applies of many resources, whole processes: seconds, peak memory, microseconds and kilobytes a resource.

usage: scale.py PRAVO TRACE_COMPONENT [N …]        (default 1000 10000)

The resources are wide objects of the `trace` component in chains of ten, made by a definition and a comprehension, over two
provider instances. Where `terraform` is on the PATH, `terraform_data` in chains of ten is measured beside it up to 5,000.
"""
import os
import re
import shutil
import sys
import tempfile

from measure import median, run

ROOT = '''package scale

import (
	"list"
	trace "pravo.dev/providers/test/trace"
)

$one: trace.#Provider & {$source: "file:COMPONENT"}
$two: trace.#Provider & {$source: "file:COMPONENT"}

#Chain: {
	$t:   trace.#Provider
	leaf: *"same" | string
	let Chain = this
	this: string
	n0: $t.#Resource.trace_object & {name: "\\(Chain)-0"}
NODES
	n9: $t.#Resource.trace_object & {name: "\\(Chain)-9", input: n8.output, text_01: leaf}
}

chains: {
	for c in list.Range(0, COUNT, 1) {
		"c\\(c)": #Chain & {this: "c\\(c)", $t: [$one, $two][mod(c, 2)]}
	}
}
'''

STAR = '''package scale

import (
	"list"
	trace "pravo.dev/providers/test/trace"
)

$one: trace.#Provider & {$source: "file:COMPONENT"}

_root: string @tag(root)

root: $one.#Resource.trace_object & {name: "root", input: _root}

readers: {
	for i in list.Range(0, COUNT, 1) {
		"r\\(i)": $one.#Resource.trace_object & {name: "r\\(i)", input: READ}
	}
}
'''

NAMES = '''
makers: {
	for i in list.Range(0, COUNT, 1) {
		"m\\(i)": $one.#Resource.trace_object & {name: "m\\(i)"}
	}
}
names: [for m in makers {m.name}]
'''


def chains(count, component):
    nodes = '\n'.join(f'\tn{i}: $t.#Resource.trace_object & {{name: "\\(Chain)-{i}", input: n{i - 1}.output}}' for i in range(1, 9))
    return ROOT.replace('NODES', nodes).replace('COMPONENT', component).replace('COUNT', str(count // 10))


def terraform(count):
    parts = []
    for c in range(count // 10):
        for i in range(10):
            value = f'terraform_data.c{c}_{i - 1}.output' if i else f'"c{c}"'
            parts.append(f'resource "terraform_data" "c{c}_{i}" {{\n  input = {value}\n}}\n')
    return ''.join(parts)


def write(directory, name, text):
    with open(os.path.join(directory, name), 'w') as out:
        out.write(text)


def row(what, count, one):
    graph = re.search(r'Graph: .*', one.stdout)
    print(f'{what:42} {count:7} {one.seconds:9.3f} s {one.megabytes:8.1f} MB {one.seconds / count * 1e6:8.1f} µs '
          f'{one.megabytes * 1024 / count:7.2f} KB   {graph.group(0) if graph else ""}', flush=True)


def measure_chains(pravo, component, count):
    with tempfile.TemporaryDirectory() as directory:
        write(directory, 'main.cue', chains(count, component))
        run([pravo, 'init', '--approve'], directory)
        row('plan (all to create)', count, run([pravo, 'plan'], directory))
        applied = run([pravo, 'apply', '--auto-approve'], directory)
        row('apply (creates)', count, applied)
        row('plan (no changes)', count, median([pravo, 'plan'], directory))
        if count <= 10000:
            row('plan -refresh=all', count, run([pravo, 'plan', '-refresh=all'], directory))
        write(directory, 'leaf.cue', 'package scale\n\nchains: c0: leaf: "other"\n')
        row('plan (one leaf changed)', count, median([pravo, 'plan'], directory))


def measure_star(pravo, component, count, read, extra, what):
    with tempfile.TemporaryDirectory() as directory:
        text = (STAR + extra).replace('READ', read).replace('COMPONENT', component).replace('COUNT', str(count))
        write(directory, 'main.cue', text)
        run([pravo, 'init', '--approve', '-t', 'root=a'], directory)
        run([pravo, 'apply', '--auto-approve', '-t', 'root=a'], directory)
        row(f'{what}: plan (no changes)', count, median([pravo, 'plan', '-t', 'root=a'], directory))
        row(f'{what}: plan (root changed)', count, median([pravo, 'plan', '-t', 'root=b'], directory))


def measure_terraform(count):
    with tempfile.TemporaryDirectory() as directory:
        write(directory, 'main.tf', terraform(count))
        run(['terraform', 'init'], directory)
        row('terraform plan (all to create)', count, run(['terraform', 'plan', '-no-color'], directory))
        if count <= 1000:
            row('terraform apply', count, run(['terraform', 'apply', '-auto-approve', '-no-color'], directory))
            row('terraform plan (no changes)', count, median(['terraform', 'plan', '-no-color'], directory))


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    pravo, component = os.path.abspath(arguments[1]), os.path.abspath(arguments[2])
    counts = [int(one) for one in arguments[3:]] or [1000, 10000]
    for count in counts:
        measure_chains(pravo, component, count)
        if count <= 5000 and shutil.which('terraform'):
            measure_terraform(count)
    star = min(5000, max(counts))
    measure_star(pravo, component, star, 'root.output', '', 'one root that all read')
    measure_star(pravo, component, star, '"\\(len(names))"', NAMES, 'one list of all names that all read')
    return 0


sys.exit(main(sys.argv))
