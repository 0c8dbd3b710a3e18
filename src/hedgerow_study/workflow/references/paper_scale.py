"""Reference results at the scale of the papers: made in parts, and tables made of the parts.

A part is what one data set gives (`hedgerow_study.workflow.jobs.parts`): files of the workflow, and
a manifest that says from which bytes, with which settings, code and versions. Parts can be made on
different days and machines. Tables, figures and verdicts are made of them by the rules of the
workflow, in a copy of the project that holds the parts and knows no rule that makes one. Where code
was reshaped and no result was changed, parts that come out the same speak for the others
(`compare`). Analyses have a reference for each experiment that is read, whose parts hold its rows
as well.
"""

from __future__ import annotations

import functools
import hashlib
import platform
import random
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from hedgerow.data.versions import local_notes
from hedgerow.errors import ConfigError, DataError
from hedgerow.files import (
    check_folder,
    parquet_bytes,
    read_arrow,
    read_json,
    read_parquet,
    read_yaml,
    write_bytes,
    write_csv,
    write_json,
)
from hedgerow_study.experiments.plan import sections
from hedgerow_study.reporting.analytic_choices import (
    SOURCE,
    alternatives_of,
    choices_digest,
    read_choices,
)
from hedgerow_study.workflow.jobs.digest import PACKAGE
from hedgerow_study.workflow.jobs.frame import absence
from hedgerow_study.workflow.jobs.parts import (
    SUFFIX,
    Cut,
    Part,
    calls_of_rules,
    cut,
    digests,
    packed,
    unpacked,
)
from hedgerow_study.workflow.jobs.steps import declarations, section_of
from hedgerow_study.workflow.planning.graph import planned
from hedgerow_study.workflow.planning.records import read_record, record_file, records_of_rules
from hedgerow_study.workflow.references.recorded import check_paths
from hedgerow_study.workflow.running.isolated import asking, copy_workflow, last_message, run_copy
from hedgerow_study.workflow.settings.config import configured

#: Where running times are, which differ from run to run and are not compared.
TIMES = "data/jobs/"
#: Results that are kept beside tables, figures and verdicts, by the names of their files.
RESULTS = ("by_uncertainty", "statistics")
#: Bytes of the largest figure that is kept: larger ones are made of the parts, by the same rules.
LARGEST_FIGURE = 150_000
#: Distributions whose versions a part records: those that its numbers went through.
VERSIONS = ("hedgerow", "numpy", "pandas", "scikit-learn", "scipy")
#: The rule that sets printed cells beside measured ones.
COMPARISON = "comparison"
#: The experiment that reads others, and the configuration with which it does at the papers' scale.
ANALYTIC_CHOICES, MULTIVERSE = "analytic_choices", "multiverse"
#: Rules that read and type a data set: they have a checksum of their own.
DATA = ("fetch", "tidy")


def experiments() -> list[str]:
    """Experiments on data sets, with settings of their own: all that has a reference."""
    return [word for word, plan in sections().items() if "datasets" in plan.settings()]


def words_of(manifest: Mapping[str, Any]) -> list[str]:
    """Experiments whose rules make what a manifest of a part or of a reference describes."""
    return [manifest[key] for key in ("of", "experiment") if key in manifest]


# ------------------------------------------------------------------------------ one experiment


class Reference:
    """The reference of an experiment: its parts, and what is made of them.

    configuration: name of a file in config/, without its suffix
    folder: holds parts/, tables (CSV), figures (SVG) and manifest.json
    of: the experiment that is read, where it is `ANALYTIC_CHOICES`
    """

    def __init__(self, root: Path, experiment: str, configuration: str, folder: Path, of: str = ""):
        self.root, self.experiment, self.configuration = root, experiment, configuration
        self.folder, self.parts, self.of = folder, folder / "parts", of

    @property
    def experiments(self) -> list[str]:
        """Experiments whose rules make it."""
        return words_of(self._named)

    @functools.cached_property
    def plan(self) -> dict[str, Any]:
        """The jobs of the experiment, as `planned` gives them."""
        file = f"config/{self.configuration}.yaml"
        return planned(self.root, [file], {"experiments": self.experiments})

    @functools.cached_property
    def cut(self) -> Cut:
        """How it is cut into parts."""
        return cut(self.plan, calls_of_rules(self.root), self.experiment, self.of)

    @property
    def wanted(self) -> dict[str, str]:
        """What is made of all parts and kept: files of the project by their names in the folder."""
        files = kept(self.plan, self.cut.rules, self.of and f"{self.experiment}_")
        if not self.of:
            files[f"{self.experiment}_claims.csv"] = claims_of(self.plan, self.experiment)
        return files

    @property
    def seed(self) -> str:
        """Of a draw that nobody has chosen: the digests of today's code."""
        calls = sorted({call for part in self.cut.parts.values() for call in part.calls})
        return str(digests(calls, _package(self.root)))

    def absent(self) -> list[str]:
        """Parts that are not there."""

        def exists(name: str) -> bool:
            return all((self.parts / f"{name}{end}").is_file() for end in (".json", SUFFIX))

        return [name for name in self.cut.parts if not exists(name)]

    def named(self, names: Iterable[str]) -> list[str]:
        """Parts by their names, or by data sets."""
        parts, selected = self.cut.parts, []
        for name in names:
            matches = [part.name for part in parts.values() if name in (part.name, part.dataset)]
            if not matches:
                raise DataError(
                    f"`{name}` is no data set of {self.experiment} in "
                    f"config/{self.configuration}.yaml",
                    remedy=f"it has {', '.join(parts)}",
                )
            selected += matches
        return list(dict.fromkeys(selected))

    def make(self, names: Sequence[str], cores: int) -> None:
        """Run the workflow for some parts, up to the files that are kept of them."""
        from hedgerow_study.workflow.run import run

        targets = [path for name in names for path in self.cut.parts[name].files]
        files = ["--configfile", f"config/{self.configuration}.yaml"]
        if self.of:
            files += ["--config", f"experiments=[{','.join(self.experiments)}]"]
        code = run([f"--cores={cores}", *files, "--", *targets], self.root)
        if code:
            raise ConfigError(
                f"the workflow stopped with exit code {code}",
                remedy="mend what it says above and call the command again; finished jobs are kept",
            )

    def collect(self, names: Iterable[str]) -> None:
        """Store parts that the workflow has made, each as an archive with its manifest."""
        from hedgerow_study.reporting.manifest import checksum, checksums

        root = self.root.resolve()
        for name in names:
            part, archive = self.cut.parts[name], self.parts / f"{name}{SUFFIX}"
            _check_available(root, part)
            write_bytes(archive, packed(root, part.files))
            manifest = {
                **self._named,
                "part": name,
                "dataset": part.dataset,
                "settings": self._settings(part.calls),
                **self._provenance(part.calls),
                "source": read_json(root / self._source(part.dataset)),
                "archive": checksum(archive),
                "files": checksums(root, [root / path for path in part.files]),
                "jobs": _jobs(root, self.plan, part.jobs),
            }
            write_json(self.parts / f"{name}.json", manifest)

    def _source(self, dataset: str) -> str:
        """The source.json of the file that a data set is read from."""
        read = self.plan[f"tidy:{dataset}"]["inputs"]
        return next(path for path in read if path.endswith("/source.json"))

    def to_compare(self, names: Sequence[str], n: int, seed: str) -> list[str]:
        """Parts that are to be made again, so that they may speak for the others."""
        manifests, parts = read_parts(self.parts), self.cut.parts
        self._check_named(names, manifests)
        others = (parts.keys() & manifests.keys()) - set(names)
        order = drawn(others, len(others), seed)
        chosen, changed = [*names, *order[:n]], self._changed(manifests)
        for name in order[n:]:
            if not self._unmade(changed, chosen).isdisjoint(parts[name].calls):
                chosen.append(name)
        self._check_asked(chosen, manifests)
        return chosen

    def compare(self, names: Sequence[str]) -> None:
        """Count all parts as made by the code of today, because some of them came out the same.

        What was made keeps its digests; beside them, under `equal`, stand those of today and the
        parts that were compared.
        """
        manifests = read_parts(self.parts)
        self._check_named(names, manifests)
        if unmade := self._unmade(self._changed(manifests), names):
            raise DataError(
                f"{min(unmade)} has changed and made none of {', '.join(names)}",
                remedy="compare a part that it makes too",
            )
        for name in names:
            kept, part = manifests[name], self.cut.parts[name]
            other = unlike(self.root, self.parts, name, kept)
            raw = self._source(part.dataset)
            now = read_json(self.root / raw)["sha256"]
            other += [raw] if now != kept["source"].get("sha256") else []
            if other := other + self._not_asked(name, kept):
                raise DataError(
                    f"{', '.join(other)}: made again, not what {self.parts / name}.json describes",
                    remedy="results have changed: make all parts again",
                )
        for name in sorted(manifests.keys() & self.cut.parts.keys()):
            code = dict(manifests[name]["code"])
            before = code.pop("equal", {})
            calls = digests(self.cut.parts[name].calls, _package(self.root))
            if code.get("calls") != calls:
                already = before.get("compared", ()) if before.get("calls") == calls else ()
                code["equal"] = {"calls": calls, "compared": sorted({*names, *already})}
            write_json(self.parts / f"{name}.json", {**manifests[name], "code": code})

    def merge(self, cores: int = 1) -> dict[str, Any]:
        """Tables, figures and verdicts of all parts, and their manifest.

        The rules of the workflow make them, in a copy of the project that holds the parts.

        Returns: the manifest: parts, outputs with their SHA-256, code and versions, processor time.
        """
        from hedgerow_study.reporting.manifest import checksums

        manifests = self.checked()
        wanted, code, outputs = self.wanted, self._provenance(self.cut.calls), []
        with tempfile.TemporaryDirectory(prefix="hedgerow-reference-") as place:
            copy = Path(place) / "project"
            copy_workflow(self.root, copy)
            self.unpack_into(copy, manifests)
            more = [COMPARISON] if self.of else []
            joined_parts(copy, code["code"], self.configuration, [self], wanted, cores, *more)
            merging = [id for id, job in self.plan.items() if job["rule"] in self.cut.rules]
            merged = _jobs(copy, self.plan, merging)
            for name, path in sorted(wanted.items()):
                output = copy / path
                if output.suffix == ".parquet":
                    output = output.with_suffix(".csv")
                    write_csv(output, read_parquet(copy / path))
                if output.suffix == ".csv" and output.read_bytes().count(b"\n") < 2:
                    continue  # of methods that are not run at this scale
                if not _is_small(output):
                    continue
                outputs.append(self.folder / name)
                write_bytes(outputs[-1], output.read_bytes())
        jobs = [job for name in self.cut.parts for job in manifests[name]["jobs"].values()]
        before = _says(self.folder / "manifest.json", self.experiment)
        folder = self.folder.resolve()
        manifest = {
            **self._named,
            "configuration": self.configuration,
            "settings": self._settings(self.cut.calls),
            **code,
            "parts": checksums(
                folder,
                [folder / f"parts/{n}{end}" for n in self.cut.parts for end in (".json", SUFFIX)],
            ),
            "outputs": checksums(folder, [path.resolve() for path in outputs]),
            "jobs": merged,
            "n_jobs": len(jobs),
            "seconds": round(sum(job["seconds"] for job in jobs), 1),
            "longest_seconds": max((job["seconds"] for job in jobs), default=0.0),
            "largest_mib": max((job["mib"] for job in jobs), default=0.0),
        }
        for file in self.folder.iterdir():
            if file.name in before.get("outputs", ()) and file not in outputs:
                file.unlink()
        write_json(self.folder / "manifest.json", manifest)
        return manifest

    def checked(self) -> dict[str, Mapping[str, Any]]:
        """The manifests of all parts, of which tables may be made."""
        manifests = read_parts(self.parts)
        if lacking := self.absent():
            raise DataError(
                f"of {self.experiment} {len(lacking)} parts are not there: {', '.join(lacking)}",
                remedy=f"make them: hedgerow reference {self.experiment} --all",
            )
        self._check_asked(self.cut.parts, manifests)
        return manifests

    def unpack_into(self, copy: Path, manifests: Mapping[str, Mapping[str, Any]]) -> None:
        """Put the files of all parts at their places in a copy of the project."""
        for name in self.cut.parts:
            unpack(self.parts, name, manifests[name], copy)

    def _changed(self, manifests: Mapping[str, Mapping]) -> set[str]:
        """Functions that are not those any more that parts count as made by."""
        changed = set()
        for name in manifests.keys() & self.cut.parts.keys():
            then = code_of_part(manifests[name])
            now = digests(self.cut.parts[name].calls, _package(self.root))
            changed |= {call for call, digest in now.items() if then.get(call) != digest}
        return changed

    def _unmade(self, calls: Iterable[str], names: Iterable[str]) -> set[str]:
        """Of some functions those that make none of these parts."""
        return set(calls).difference(*(self.cut.parts[name].calls for name in names))

    def _check_named(self, names: Iterable[str], manifests: Mapping[str, Mapping]) -> None:
        for name in names:
            if name not in manifests:
                raise DataError(f"{self.parts} has no part {name}", remedy="make it first")

    def _check_asked(self, names: Iterable[str], manifests: Mapping[str, Mapping]) -> None:
        for name in names:
            if other := self._not_asked(name, manifests[name]):
                raise DataError(
                    f"{self.parts / name}.json: {', '.join(other)} not those of "
                    f"config/{self.configuration}.yaml",
                    remedy="make it again",
                )

    def _not_asked(self, name: str, manifest: Mapping) -> list[str]:
        """What a part has otherwise than the configuration asks for; a new setting is no matter."""
        part = self.cut.parts[name]
        then, now = (dict(_flat(s)) for s in (manifest["settings"], self._settings(part.calls)))
        same = all(then[key] == now[key] for key in then.keys() & now.keys())
        files = set(manifest["files"]) == set(part.files)
        return ["settings"] * (not same) + ["files"] * (not files)

    @property
    def _named(self) -> dict[str, str]:
        """What it is called in its manifests."""
        return {"experiment": self.experiment} | ({"of": self.of} if self.of else {})

    def _settings(self, calls: Iterable[str]) -> dict[str, Any]:
        settings = settings_of_calls(self.root, self.configuration, calls)
        if self.of:
            choices = read_choices(read_yaml(self.root / SOURCE))[self.of]
            config = configured(self.root, self.configuration)[self.experiment]
            settings.setdefault(self.experiment, {}).update(
                choices=choices_digest(choices),
                # Runs of a part are distinguished by their numbers, which depend on these.
                alternatives=alternatives_of(choices),
                **{name: config[name] for name in ("nearest", "singles")},
            )
        return settings

    def _provenance(self, calls: Iterable[str]) -> dict[str, Any]:
        return _provenance(self.root, calls)


def _provenance(root: Path, calls: Iterable[str]) -> dict[str, Any]:
    """Code, versions and machine, for a manifest."""
    from hedgerow_study.reporting.checkout import code_state

    return {
        "code": {**code_state(root), "calls": digests(calls, _package(root))},
        "versions": {name: metadata.version(name) for name in VERSIONS},
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "kernels": kernels(),
    }


def kernels() -> list[str]:
    """The processors whose kernels the libraries of linear algebra chose: last places hang on them.

    The environment variable OPENBLAS_CORETYPE chooses others.
    """
    import numpy  # noqa: F401 - which loads them
    from threadpoolctl import threadpool_info

    return sorted({info["architecture"] for info in threadpool_info() if "architecture" in info})


def compare_printed(root: Path, configuration: str, folder: Path, cores: int = 1) -> dict[str, Any]:
    """Every printed cell beside what the references hold."""
    from hedgerow_study.reporting.manifest import checksums

    calls, out = calls_of_rules(root), folder / COMPARISON
    plan = planned(root, [f"config/{configuration}.yaml"])
    maker = {path: job["rule"] for job in plan.values() for path in job["outputs"]}
    read = [maker[path] for path in plan[COMPARISON]["inputs"] if path in maker]
    words = sorted({calls[rule].partition(".")[0] for rule in read})
    references = [Reference(root, word, configuration, folder / word) for word in words]
    rules = (COMPARISON, f"{COMPARISON}_figure")
    wanted = {f"{COMPARISON}.csv": f"reports/{COMPARISON}.csv"}
    wanted[f"{COMPARISON}.svg"] = f"reports/figures/{COMPARISON}.svg"
    code = _provenance(root, [calls[rule] for rule in rules])
    with tempfile.TemporaryDirectory(prefix="hedgerow-reference-") as place:
        copy = Path(place) / "project"
        copy_workflow(root, copy)
        for one in references:
            one.unpack_into(copy, one.checked())
        joined_parts(copy, code["code"], configuration, references, wanted, cores, *rules)
        kept_files = {name: copy / path for name, path in wanted.items() if _is_small(copy / path)}
        for name, file in kept_files.items():
            write_bytes(out / name, file.read_bytes())
    manifest = {
        "experiment": COMPARISON,
        "configuration": configuration,
        "of": {one.experiment: _digest_of_parts(one) for one in references},
        **code,
        "outputs": checksums(out.resolve(), [(out / name).resolve() for name in kept_files]),
    }
    write_json(out / "manifest.json", manifest)
    return manifest


def _is_small(file: Path) -> bool:
    """Whether a file is kept: all are, but for large figures."""
    return file.suffix != ".svg" or file.stat().st_size <= LARGEST_FIGURE


def _digest_of_parts(one: Reference) -> str:
    """SHA-256 over the archives of the parts of an experiment."""
    archives = (manifest["archive"] for manifest in read_parts(one.parts).values())
    return hashlib.sha256("\n".join(archives).encode()).hexdigest()


# ----------------------------------------------------------------------------------- folders


def check_out(folder: Path, experiment: str, force: bool) -> None:
    """Refuse a folder with files that no earlier call for this experiment has written."""

    def listed(at: Path) -> set[str] | None:
        files = {
            f"parts/{part.stem}{end}"
            for part in (at / "parts").glob("*.json")
            if _says(part, experiment)
            for end in (".json", SUFFIX)
        }
        manifest = _says(at / "manifest.json", experiment)
        if manifest:
            files |= {"manifest.json", *manifest.get("outputs", ()), *manifest.get("parts", ())}
        return files or None

    if not force:
        check_folder(folder, True, "`hedgerow reference`", listed)


def _says(manifest: Path, experiment: str) -> dict[str, Any]:
    """What a manifest says, if it is one of this experiment."""
    try:
        content = read_json(manifest) if manifest.is_file() else {}
    except DataError:
        return {}
    return content if content.get("experiment") == experiment else {}


def _package(root: Path) -> Path:
    """The sources of the project at hand, or of the installed package."""
    return root / "src/hedgerow" if (root / "src/hedgerow").is_dir() else PACKAGE


# ------------------------------------------------------------------------------------- parts


def _check_available(root: Path, part: Part) -> None:
    for path in part.files:
        why = absence(root / path) if (root / path).is_file() else "nothing has made it"
        if why:
            raise DataError(
                f"there is no part {part.name}: {path} is not there ({why})",
                remedy="name a mirror that has the data set (HEDGEROW_MIRROR), and make it again",
            )
    registry = root / read_yaml(root / "config/default.yaml")["registry"]
    if notes := local_notes(registry, [part.dataset]):
        raise DataError(
            f"there is no part {part.name} of registered data ({notes[0]})",
            remedy="go back to the registered version: `hedgerow data restore`",
        )


def settings_of_calls(root: Path, configuration: str, calls: Iterable[str]) -> dict[str, Any]:
    """Settings that functions read, by section, and the seed; lists of data sets are left out.

    What no result depends on is left out too, such as how work is cut into jobs.
    """
    config = configured(root, configuration)
    read: dict[str, set[str]] = {}
    for declared in (one for call in calls for one in declarations(call)):
        section = section_of(declared.word)
        if declared.settings and section is not None:
            read.setdefault(section, set()).update(_names(config, section, declared.settings))
        for section, *names in (declared.plans or {}).values():
            read.setdefault(section, set()).update(_names(config, section, names))
    settings: dict[str, Any] = {"configuration": config["configuration"], "seed": config["seed"]}
    for section, names in sorted(read.items()):
        apart = {*sections()[section].hidden_settings(), "seed", "configuration"}
        kept = sorted(n for n in names - apart if not n.endswith("datasets"))
        settings[section] = {name: config[section][name] for name in kept}
    return settings


def _names(config: Mapping[str, Any], section: str, names: Iterable[str]) -> set[str]:
    from hedgerow_study.experiments.step import ALL

    return set(config[section]) if ALL in names else set(names)


def _jobs(root: Path, plan: Mapping[str, Any], ids: Iterable[str]) -> dict[str, dict[str, float]]:
    """What jobs took as they recorded it (`Need`)."""
    records = records_of_rules(root)
    needs = {}
    for id in ids:
        file = root / record_file(id, records[plan[id]["rule"]])
        if file.is_file():  # they may be removed, and nothing is rerun for it
            need = read_record(file).need
            needs[id] = {"seconds": round(need.seconds, 2), "mib": round(need.mib, 1)}
    return needs


# ----------------------------------------------------------------------------------- reading


def read_parts(folder: Path) -> dict[str, Mapping[str, Any]]:
    """The manifests of all parts in a folder, checked against each other and against the parts."""
    from hedgerow_study.reporting.manifest import checksum

    manifests = {p.stem: read_json(p) for p in sorted(folder.glob("*.json"))}
    if not manifests:
        raise DataError(f"{folder} holds no part", remedy="make one: hedgerow reference EXPERIMENT")
    seen: dict[tuple[str, ...], tuple[str, Any]] = {}
    for name, manifest in manifests.items():
        settings, code = _part_settings(folder, name, manifest)
        archive = folder / f"{name}{SUFFIX}"
        if not archive.is_file() or checksum(archive) != manifest["archive"]:
            raise DataError(
                f"{archive} is not the file that its manifest describes", remedy="make it again"
            )
        # Parts of two rules need not read the same settings, nor reach the same functions.
        values = {("settings", *place): value for place, value in _flat(settings)}
        values |= {("code", call): digest for call, digest in code.items()}
        for key, value in values.items():
            first, other = seen.setdefault(key, (name, value))
            if value != other:
                raise DataError(
                    f"the parts {first} and {name} in {folder} were made with different {key[0]}",
                    remedy="make one of them again",
                )
    return manifests


def _part_settings(folder: Path, name: str, manifest: Mapping) -> tuple[dict, dict[str, str]]:
    """Settings and digests of the code, as the manifest of a part has them."""
    try:
        calls = code_of_part(manifest)
        check_paths(manifest["files"])
        took = [job[key] for job in manifest["jobs"].values() for key in ("seconds", "mib")]
        fine = all(isinstance(v, str) for v in [manifest["archive"], *calls.values()])
        fine = fine and all(isinstance(v, (int, float)) for v in took)
        if fine and all(isinstance(manifest[key], dict) for key in ("settings", "files", "source")):
            return manifest["settings"], calls
    except (LookupError, TypeError, ValueError, AttributeError):
        pass
    raise DataError(f"{folder / name}.json is no manifest of a part", remedy="make it again")


def _flat(settings: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Settings by section and name."""
    for section, value in settings.items():
        if isinstance(value, dict):
            yield from (((section, name), one) for name, one in value.items())
        else:
            yield (section,), value


def code_of_part(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Digest of each function that a part counts as made by."""
    code = manifest["code"]
    return dict(code.get("equal", code)["calls"])


def unpack(folder: Path, name: str, manifest: Mapping[str, Any], target: Path) -> None:
    """Put the files of a part at their places below a folder."""
    for path, content in unpacked(folder / f"{name}{SUFFIX}", manifest["files"]).items():
        if hashlib.sha256(content).hexdigest() != manifest["files"][path]:
            raise DataError(f"{path} in {folder / name} was changed", remedy="make it again")
        write_bytes(target / path, content)


# --------------------------------------------------------------------------------- comparing


def unlike(root: Path, folder: Path, name: str, manifest: Mapping[str, Any]) -> list[str]:
    """Files of a part that were made again below a folder and do not hold the same values.

    Their layout, checksums and what their writers note may change; running times do.
    """
    with tempfile.TemporaryDirectory() as scratch:
        unpack(folder, name, manifest, Path(scratch))
        return [
            path
            for path in sorted(manifest["files"])
            if not path.startswith(TIMES)
            and not ((root / path).is_file() and _same(root / path, Path(scratch) / path))
        ]


def _same(one: Path, other: Path) -> bool:
    if one.suffix != ".parquet":
        return one.read_bytes() == other.read_bytes()
    tables = (read_arrow(path).replace_schema_metadata(None) for path in (one, other))
    again, before = map(parquet_bytes, tables)
    return again == before


def drawn(names: Iterable[str], n: int, seed: str) -> list[str]:
    """The first `n` of some names in an order that follows from a text, whichever order they had.

    A larger draw with the same text goes on from a smaller one.
    """
    order = sorted(names)
    random.Random(seed).shuffle(order)
    return order[:n]


# ----------------------------------------------------------------------------------- merging


def kept(plan: Mapping[str, Any], rules: Iterable[str], prefix: str = "") -> dict[str, str]:
    """What some rules make that is kept: the file below the project, by its name in the folder."""
    files, wanted = {}, {rule for rule in rules if rule.startswith(prefix)}
    for job in plan.values():
        if job["rule"] not in wanted:
            continue
        for path in map(Path, job["outputs"]):
            folder, name = path.parent.as_posix(), path.name
            shown = (folder, path.suffix) in {
                ("reports/tables", ".csv"),
                ("reports/figures", ".svg"),
            }
            times = folder.startswith(TIMES) and path.suffix in (".csv", ".svg")
            if shown or times:
                files[name] = path.as_posix()
            elif path.stem in RESULTS and path.suffix == ".parquet":
                files[f"{path.stem}.csv"] = path.as_posix()
    return files


def claims_of(plan: Mapping[str, Any], experiment: str) -> str:
    """Where the verdicts of an experiment are; those that know its running times, if there are."""
    outputs = {path for job in plan.values() for path in job["outputs"]}
    timed = f"{TIMES}{experiment}/claims.parquet"
    return timed if timed in outputs else f"data/results/{experiment}/claims.parquet"


def joined_parts(
    copy: Path,
    checkout: dict[str, Any],
    configuration: str,
    references: Sequence[Reference],
    wanted: Mapping[str, str],
    cores: int,
    *more: str,
) -> None:
    """Run the rules of some experiments, and more rules, in a copy that holds their parts."""
    command = [f"--cores={cores}"]
    words = dict.fromkeys(word for one in references for word in one.experiments)
    command += asking(configuration, words)
    rules = sorted({rule for one in references for rule in one.cut.rules})
    command += ["--allowed-rules", *DATA, *rules, *more]
    done = run_copy(copy, checkout, command, sorted(wanted.values()))
    if done.returncode:
        raise ConfigError(
            f"the workflow cannot make tables of the parts: {last_message(done)}",
            remedy="call it with the same configuration, which tells more",
        )
