"""Jobs that another queue runs, results in a bucket: `make test-elsewhere`.

    python tests/elsewhere.py            both of what follows
    python tests/elsewhere.py queue      jobs by the executor `cluster-generic`
    python tests/elsewhere.py storage    results by the storage plugin for S3

Both on this machine alone. The queue is a script of three lines that runs two jobs at a time; the
bucket is moto's, a server on loopback. The sweep of pruning confidences runs with the smoke
configuration, first as always and then through each; what comes out has to be the same to the byte,
and so has what lies in the bucket.

The storage plugin and moto ask for an older python-dateutil than is locked and are in no lock. The
second part says so where they are not there: snakemake-storage-plugin-s3, moto[server].
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = "soft_sweep"
SMOKE = ("--configfile", "config/smoke.yaml")
#: What `qsub` is elsewhere: takes the script of a job, says a number, and runs two at a time.
SUBMIT = """\
#!/bin/sh
setsid flock "$(dirname "$0")/slot.$(( $$ % 2 ))" sh "$1" >/dev/null 2>&1 &
echo $!
"""
PROFILE = ("--profile", "workflow/profiles/slurm", "--executor", "cluster-generic")
CLAIMS = "/claims.parquet"
#: What the second part takes that no lock has.
BY = ("snakemake_storage_plugin_s3", "moto", "flask")
BUCKET, PREFIX = "results", "hedgerow/smoke"
KEYS = {"AWS_ACCESS_KEY_ID": "nobody", "AWS_SECRET_ACCESS_KEY": "nothing"}
S3 = {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "nobody", "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "nothing"}


def cloned(folder: Path) -> Path:
    """A clone of the last commit."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def snakemake(folder: Path, *arguments: str, **variables: str) -> None:
    """Run Snakemake in a folder; end with what it said where it fails."""
    command = [sys.executable, "-m", "snakemake", *arguments, *SMOKE]
    environment = {**os.environ, **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}")


def results(folder: Path) -> dict[str, str]:
    """Checksums of what a run made, by path."""
    made = [*(folder / "reports").rglob("*"), *(folder / "data/results").rglob("*")]
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(made)
        if file.is_file() and file.name != "README.md"
    }


def same(one: dict[str, str], two: dict[str, str], where: str) -> None:
    """End where results differ."""
    if apart := sorted({name for name, _ in one.items() ^ two.items()}):
        sys.exit(f"{where} these files differ: {', '.join(apart)}")
    print(f"{len(one)} files, the same {where}", flush=True)


def queue(folder: Path, wanted: dict[str, str]) -> None:
    """Through the executor of any cluster."""
    project = cloned(folder / "queue")
    submit = folder / "submit.sh"
    submit.write_text(SUBMIT, encoding="utf-8")
    submit.chmod(submit.stat().st_mode | stat.S_IXUSR)
    how = ("--cluster-generic-submit-cmd", str(submit), "--latency-wait", "20")
    snakemake(project, *PROFILE, *how, TARGET)
    same(wanted, results(project), "through a queue")


@contextlib.contextmanager
def bucket() -> Iterator[str]:
    """Address of a server of buckets on loopback, with an empty one."""
    import boto3

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(command, **quiet)
    address = f"http://127.0.0.1:{port}"
    try:
        end = time.monotonic() + 60.0
        while True:
            with socket.socket() as asked:
                if asked.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if server.poll() is not None or time.monotonic() > end:
                sys.exit("the server of buckets does not answer")
            time.sleep(0.2)
        os.environ.update(KEYS, AWS_DEFAULT_REGION="us-east-1")
        boto3.client("s3", endpoint_url=address).create_bucket(Bucket=BUCKET)
        yield address
    finally:
        server.terminate()
        server.wait()


def storage(folder: Path, wanted: dict[str, str]) -> None:
    """Each result in a bucket as well."""
    if lacking := [name for name in BY if find_spec(name) is None]:
        print(f"results in a bucket are not tried: {', '.join(lacking)} is not installed")
        return
    import boto3

    project = cloned(folder / "storage")
    with bucket() as address:
        where = {"HEDGEROW_STORE": f"s3://{BUCKET}/{PREFIX}"}
        where |= {"SNAKEMAKE_STORAGE_S3_ENDPOINT_URL": address, **S3}
        store = ("--snakefile", "workflow/stored.smk", "--cores", "2")
        snakemake(project, *store, f"stored_{TARGET}", **where)
        same(wanted, results(project), "beside a bucket")
        client = boto3.client("s3", endpoint_url=address)
        pages = client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        stored = {}
        for key in (each["Key"] for page in pages for each in page.get("Contents", ())):
            content = client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
            stored[key.removeprefix(f"{PREFIX}/")] = hashlib.sha256(content).hexdigest()
    # Rows of each data set are on the way to what an experiment makes, and stay here.
    ends = {name for name in wanted if name.startswith("reports/") or name.endswith(CLAIMS)}
    shown = {name: wanted[name] for name in sorted(ends)}
    same(shown, stored, "in the bucket")


def main(arguments: Sequence[str]) -> None:
    """As always, then elsewhere."""
    parts = {"queue": queue, "storage": storage}
    if unknown := set(arguments) - set(parts):
        sys.exit(f"there is no part {', '.join(sorted(unknown))}: {', '.join(parts)}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        project = cloned(folder / "here")
        snakemake(project, "--cores", "2", TARGET)
        wanted = results(project)
        for part in arguments or parts:
            parts[part](folder, wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
