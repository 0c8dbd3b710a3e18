"""`python client.py SOCKET PYTHON SCRIPT`: hand a script to the warm process, and wait for it.

Snakemake calls this in the place of an interpreter (`hedgerow_study.workflow.running.warm`). It is
started once for each job, without site packages, and imports nothing that costs time.
"""

import _socket
import os
import sys


def main(path, python, script):
    if os.environ.get("OMP_NUM_THREADS", "1") != "1":
        # The warm process has made up its mind about threads before the job was known.
        os.execv(python, [python, script])
    warm = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        warm.connect(path)
    except OSError:
        os.execv(python, [python, script])
    environ = [name + b"=" + value for name, value in os.environb.items()]
    message = b"\0".join([os.fsencode(script), os.getcwdb(), *environ])
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
    header = len(message).to_bytes(8, "big")
    try:
        warm.sendmsg([header], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
        warm.sendall(message)
        answer = warm.recv(1)
    except ConnectionError:  # it was killed before it took the job
        answer = b""
    if not answer:
        sys.exit("the process that ran the job is gone; the same command goes on from here")
    return answer[0]


if __name__ == "__main__":
    import signal

    # Stopped without a word: the warm process sees the connection end, and stops the job.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(main(*sys.argv[1:4]))
