"""The run as an RO-Crate: workflow, data with licences, settings and outputs, for archives.

It keeps to the profile Workflow Run Crate 0.6 on RO-Crate 1.3, and holds no time of a run, so that
two runs of the same state give the same bytes. The crate is the folder of the reports; what lies
outside of it in the project is named by its path from there; `at_root` names all of them from the
root of the project, for an archive.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from hedgerow.data.registry import LICENCES
from hedgerow.optional_imports import import_optional
from hedgerow_study.reporting.checkout import Checkout, checkout, is_workflow
from hedgerow_study.reporting.manifest import checksums

PURPOSE = "the crate of a run"
#: Where the crate lies in the project.
FOLDER = "reports"
METADATA = "ro-crate-metadata.json"
VERSION = "1.3"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.6": ("Process Run Crate", "0.6"),
    "https://w3id.org/ro/wfrun/workflow/0.6": ("Workflow Run Crate", "0.6"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.1": ("Workflow RO-Crate", "1.1"),
}
PARAMETER = "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
SNAKEMAKE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
WORKFLOW = "workflow/Snakefile"
#: Packages that numbers go through.
PACKAGES = ("numpy", "scipy", "pandas", "scikit-learn", "statsmodels", "lifelines", "snakemake")
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".js": "text/javascript",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".rst": "text/x-rst",
    ".svg": "image/svg+xml",
    ".yaml": "application/yaml",
}
_KINDS = {bool: "Boolean", int: "Integer", float: "Float"}


def crate(
    root: Path | str,
    inputs: Mapping[str, str | None],
    outputs: Iterable[Path | str],
    configuration: Mapping[str, Any],
    registry: Mapping[str, Mapping[str, Any]],
    citation: Mapping[str, Any],
    code: Mapping[str, Any] | None = None,
) -> str:
    """Text of reports/ro-crate-metadata.json.

    Returns: JSON with sorted keys, entities by their ids.
    """
    root = Path(root)
    graph = _Crate(root, checkout(root) if code is None else Checkout.from_dict(code))
    authors = [
        graph.thing(_slug(_name(a)), "Organization", name=_name(a)) for a in _authors(citation)
    ]
    licence = graph.licence(citation["license"])
    read = checksums(root, inputs)
    things = []
    for path, digest in read.items():
        entry = registry.get(inputs[path]) if inputs[path] else None
        things.append(
            graph.file(path, digest, **(graph.of_data(inputs[path], entry) if entry else {}))
        )
    settings = [graph.setting(name, value) for name, value in _flat(configuration)]
    results = [graph.file(p, digest) for p, digest in checksums(root, outputs).items()]
    workflow = graph.workflow(licence, authors, [parameter for parameter, _ in settings])
    action = graph.thing(
        "run",
        "CreateAction",
        name=f"Run of the configuration {configuration['configuration']}",
        description="What was read, with which settings, and every file that was made.",
        agent=authors,
        instrument=workflow,
        object=[*things, *(value for _, value in settings)],
        result=results,
        actionStatus="http://schema.org/CompletedActionStatus",
    )
    graph.readme()
    papers = [graph.paper(reference) for reference in citation.get("references", ())]
    graph.root(
        name=f"{citation['title'].partition(':')[0]}: {configuration['configuration']} run",
        description=f"A run of the workflow of {citation['title']}: every file that was read and "
        "made, with checksums, settings, licences and citations.",
        license=licence,
        author=authors,
        publisher=authors,
        mainEntity=workflow,
        mentions=[action],
        # A citation needs an address; a thesis without one is what the work rests on all the same.
        citation=[paper for paper in papers if paper.id.startswith("http")],
        isBasedOn=[paper for paper in papers if not paper.id.startswith("http")],
    )
    return graph.text()


class _Crate:
    """The crate while it is made; methods give ids of entities."""

    def __init__(self, root: Path, state: Checkout):
        self.place = root
        self.state = state
        self.rocrate = import_optional("rocrate.rocrate", PURPOSE).ROCrate(version=VERSION)
        self.rocrate.metadata.extra_contexts.append(TERMS)

    def thing(self, identifier: str, kind: str | list[str], /, **properties: Any) -> Any:
        """A contextual entity; one that is there already is that one."""
        contextual = import_optional("rocrate.model.contextentity", PURPOSE)
        if not identifier.startswith("http"):
            identifier = f"#{identifier}"
        existing = self.rocrate.get(identifier)
        if existing is not None:
            return existing
        given = {name: value for name, value in properties.items() if value not in (None, [], "")}
        return self.rocrate.add(
            contextual.ContextEntity(
                self.rocrate, identifier, properties={"@type": kind, **_ids(given)}
            )
        )

    def file(self, path: str, digest: str | None, kind: Any = "File", **properties: Any) -> Any:
        """A file of the project, with its checksum; one that is no part of the run has none."""
        File = import_optional("rocrate.model.file", PURPOSE).File

        inside = Path(path).is_relative_to(FOLDER)
        place = Path(path).relative_to(FOLDER).as_posix() if inside else f"../{path}"
        given = {
            "@type": kind,
            "name": path,
            "encodingFormat": FORMATS.get(Path(path).suffix, "text/plain"),
            **properties,
        }
        if digest is not None:
            given |= {"sha256": digest, "contentSize": str((self.place / path).stat().st_size)}
        return self.rocrate.add(File(self.rocrate, dest_path=place, properties=_ids(given)))

    def of_data(self, key: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        """What the registry says of a data set."""
        properties = {
            "about": entry["title"],
            "identifier": key,
            "creditText": entry.get("citation"),
        }
        if entry.get("licence"):
            properties["license"] = self.licence(entry["licence"])
        if entry.get("homepage"):
            properties["url"] = entry["homepage"]
        if entry.get("doi"):
            properties["sameAs"] = f"https://doi.org/{entry['doi']}"
        return {name: value for name, value in properties.items() if value}

    def licence(self, name: str) -> Any:
        """A licence by its address, else by what the registry calls it."""
        return self.thing(
            LICENCES.get(name, f"licence-{_slug(name)}"),
            "CreativeWork",
            name=name,
            description=f"Licence: {name}.",
        )

    def setting(self, name: str, value: Any) -> tuple[Any, Any]:
        """A setting: the parameter of the workflow, and its value in this run."""
        first = value[0] if isinstance(value, list) and value else value
        parameter = self.thing(
            f"parameter-{name}",
            "FormalParameter",
            name=name,
            additionalType=_KINDS.get(type(first), "Text"),
            conformsTo=self.thing(PARAMETER, "CreativeWork", name="FormalParameter", version="1.0"),
            multipleValues="True" if isinstance(value, list) else None,
        )
        text = [str(v) for v in value] if isinstance(value, list) else json.dumps(value)
        property_value = self.thing(
            f"setting-{name}",
            "PropertyValue",
            name=name,
            value=text or "[]",
            exampleOfWork=parameter,
        )
        return parameter, property_value

    def workflow(self, licence: Any, authors: list, parameters: list) -> Any:
        """The Snakefile, with the commit and the packages of its code."""
        state = self.state
        changed = " and uncommitted changes" if state.changed else ""
        versions = {p: metadata.version(p) for p in PACKAGES}
        packages = [
            self.thing(f"package-{p}", "SoftwareApplication", name=p, version=v, url=_home(p))
            for p, v in versions.items()
        ]
        language = self.thing(
            SNAKEMAKE,
            "ComputerLanguage",
            name="Snakemake",
            version=versions["snakemake"],
            url="https://snakemake.readthedocs.io",
            identifier="https://snakemake.readthedocs.io",
        )
        # The profile of Bioschemas asks for an address of the workflow, and there is none yet.
        properties = {
            "name": "hedgerow: experiments of four papers",
            "description": "Every experiment from data download to report.",
            "encodingFormat": "text/x-python",
            "programmingLanguage": language,
            "license": licence,
            "creator": authors,
            "sdPublisher": authors,
            "dateCreated": self.state.date,
            "input": parameters,
            "softwareRequirements": packages,
        }
        if state.commit:
            properties["version"] = f"commit {state.commit}{changed}"
        # The checksums are those of the files when the run was planned, as in the manifest.
        checksums_of_files = {
            path: digest for path, digest in state.files.items() if is_workflow(path)
        }
        code = ["File", "SoftwareSourceCode"]
        properties["hasPart"] = [
            self.file(path, digest, code)
            for path, digest in checksums_of_files.items()
            if path != WORKFLOW
        ]
        kind = [*code, "ComputationalWorkflow"]
        return self.file(WORKFLOW, checksums_of_files.get(WORKFLOW), kind, **properties)

    def readme(self) -> None:
        """The page that tells what lies in the folder of the reports."""
        about = self.rocrate.root_dataset
        self.file(f"{FOLDER}/README.md", None, about=about, encodingFormat="text/markdown")

    def paper(self, reference: Mapping[str, Any]) -> Any:
        """A paper of CITATION.cff."""
        doi = reference.get("doi")
        authors = [
            self.thing(
                f"person-{_slug(_name(author))}",
                "Person",
                name=_name(author),
                familyName=author["family-names"],
                givenName=author["given-names"],
            )
            for author in _authors(reference)
        ]
        within = reference.get("collection-title") or reference.get("institution", {}).get("name")
        return self.thing(
            f"https://doi.org/{doi}" if doi else f"paper-{reference['abbreviation']}",
            "Thesis" if reference["type"] == "thesis" else "ScholarlyArticle",
            name=reference["title"],
            author=authors,
            datePublished=str(reference["year"]),
            publisher=within,
            identifier=f"https://doi.org/{doi}" if doi else None,
        )

    def root(self, **properties: Any) -> None:
        """The crate itself."""
        profiles = [
            # RO-Crate asks for the second type, the profiles of runs for the first.
            self.thing(address, ["CreativeWork", "Profile"], name=name, version=version)
            for address, (name, version) in PROFILES.items()
        ]
        dataset = self.rocrate.root_dataset
        for name, value in _ids({**properties, "conformsTo": profiles}).items():
            dataset[name] = value
        # A run has no date of its own here: that of the code, where git knows it.
        date = self.state.date
        if date is not None:
            dataset["datePublished"] = date
        elif "datePublished" in dataset:
            del dataset["datePublished"]
        # Profiles stand at the root alone since 1.2.
        self.rocrate.metadata["conformsTo"] = {"@id": f"https://w3id.org/ro/crate/{VERSION}"}

    def text(self) -> str:
        """JSON in an order of its own."""
        content = self.rocrate.metadata.generate()
        graph = sorted(content["@graph"], key=lambda entity: entity["@id"])
        if not self.state.date:
            for entity in graph:
                if entity["@id"] == "./":
                    entity.pop("datePublished", None)
        content["@graph"] = graph
        return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def at_root(
    content: Mapping[str, Any], date: str | None = None, more_files: Iterable[str] = ()
) -> dict[str, Any]:
    """A crate of the folder of the reports as one of the folder of the project."""

    def moved(name: str) -> str:
        if name.startswith(("#", "http://", "https://")) or name in ("./", METADATA):
            return name
        return name.removeprefix("../") if name.startswith("../") else f"{FOLDER}/{name}"

    def renamed(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: moved(v) if k == "@id" else renamed(v) for k, v in value.items()}
        return [renamed(one) for one in value] if isinstance(value, list) else value

    graph = {entity["@id"]: entity for entity in renamed(content["@graph"])}
    root = graph["./"]
    root.setdefault("datePublished", date)
    for path in sorted({*more_files} - graph.keys()):
        markdown = path.endswith(".md")
        graph[path] = {
            "@id": path,
            "@type": "File",
            "name": path,
            "encodingFormat": "text/markdown" if markdown else "text/plain",
            **({"about": {"@id": "./"}} if markdown else {}),
        }
        root["hasPart"] = [*root["hasPart"], {"@id": path}]
    return {**content, "@graph": [graph[name] for name in sorted(graph)]}


def _home(package: str) -> str | None:
    """Address of a package, as it states it itself."""
    about = metadata.metadata(package)
    addresses = dict(
        line.split(", ", 1) for line in about.get_all("Project-URL", ()) if ", " in line
    )
    names = {name.casefold(): address for name, address in addresses.items()}
    candidates = [names.get(name) for name in ("homepage", "home", "source", "repository")]
    return about.get("Home-page") or next(filter(None, candidates), None)


def _ids(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties with entities named by their ids."""

    def named(value: Any) -> Any:
        if isinstance(value, list):
            if len(value) == 1:
                return named(value[0])
            return [named(v) for v in value]
        return {"@id": value.id} if hasattr(value, "id") else value

    return {name: named(value) for name, value in properties.items()}


def _flat(content: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    """Settings by their full names."""
    for key in sorted(content):
        value = content[key]
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _authors(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(entry.get("authors", ()))


def _name(author: Mapping[str, Any]) -> str:
    return author.get("name") or f"{author['given-names']} {author['family-names']}"


def _slug(text: str) -> str:
    return re.sub(r"\W+", "-", text.casefold()).strip("-")
