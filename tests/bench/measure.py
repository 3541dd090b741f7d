"""Whole-process figures: wall-clock seconds, processor seconds and peak memory of a command, as the operating system accounts for them."""
import os
import statistics
import subprocess
import time


class Run:
    """One finished process."""

    def __init__(self, seconds, processor, megabytes, code, stdout, stderr):
        self.seconds, self.processor, self.megabytes, self.code = seconds, processor, megabytes, code
        self.stdout, self.stderr = stdout, stderr


def run(arguments, directory='.', environment=None, check=True):
    """Runs a command to its end; output is kept."""
    out_read, err_path = os.path.join(directory, '.bench.out'), os.path.join(directory, '.bench.err')
    with open(out_read, 'wb') as out, open(err_path, 'wb') as err:
        begun = time.monotonic()
        process = subprocess.Popen(arguments, cwd=directory, stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                                   env={**os.environ, **(environment or {})})
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    with open(out_read, errors='replace') as out, open(err_path, errors='replace') as err:
        result = Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode, out.read(), err.read())
    os.remove(out_read)
    os.remove(err_path)
    if check and result.code not in (0, 2):
        raise SystemExit(f'{" ".join(arguments)} ended with {result.code}:\n{result.stdout[-2000:]}\n{result.stderr[-2000:]}')
    return result


def median(arguments, directory='.', times=3, environment=None):
    """The median run of several, by time; peak memory is the median of the peaks."""
    runs = [run(arguments, directory, environment) for _ in range(times)]
    middle = sorted(runs, key=lambda one: one.seconds)[len(runs) // 2]
    middle.megabytes = statistics.median(one.megabytes for one in runs)
    return middle
