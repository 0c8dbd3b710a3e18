"""Settings: one line per mistake, complete defaults, a manual that is up to date."""

from __future__ import annotations

import copy
import importlib
import pkgutil
import re

import pytest
import yaml
from throwaway import ROOT, SMOKE

from hedgerow import experiments
from hedgerow.data import load_registry
from hedgerow.errors import ConfigError
from hedgerow.experiments.plan import Plan
from hedgerow.workflow import (
    check_config,
    check_datasets,
    check_noise,
    check_permutations,
    chunks,
    settings,
)
from hedgerow.workflow.config import describe, load_yaml, permutations_of, walk

SCHEMA = ROOT / "workflow/schemas/config.schema.yaml"
DEFAULT = load_yaml(ROOT / "config/default.yaml")


def changed(**soft) -> dict:
    """The default configuration with some settings of `soft` changed."""
    config = copy.deepcopy(DEFAULT)
    config["soft"].update(soft)
    return config


def message(config, files=()) -> str:
    """What the check says about a configuration."""
    with pytest.raises(ConfigError) as caught:
        check_config(config, SCHEMA, files)
        check_datasets(config, DEFAULT["soft"]["datasets"], files)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("soft", "said"),
    [
        (
            {"noize": [0]},
            "unknown setting `soft.noize`; did you mean `soft.noise_factors`? "
            "(list of numbers >= 0, 0 among them)",
        ),
        ({"n_fold": 3}, "did you mean `soft.n_folds`? (whole number >= 2)"),
        ({"xyzzy": 3}, "unknown setting `soft.xyzzy`; config/README.md lists all settings"),
        ({"n_folds": "ten"}, "`soft.n_folds` is `ten`; give a whole number >= 2"),
        ({"n_folds": 1}, "`soft.n_folds` is `1`; give a whole number >= 2"),
        ({"n_folds": None}, "`soft.n_folds` is empty; give a whole number >= 2"),
        ({"test_size": 1.5}, "`soft.test_size` is `1.5`; give a number > 0 and < 1"),
        ({"noise_factors": [0, -0.1]}, "`-0.1`; give a list of numbers >= 0, 0 among them"),
        ({"noise_factors": [0.1]}, "`[0.1]`; give a list of numbers >= 0, 0 among them"),
        ({"factors": [0, 0.1]}, "`soft.factors` is `0`; give a list of numbers > 0"),
        (
            {"methods": ["c45", "sss"]},
            "`soft.methods` is `sss`; give a list of c45, ss, stp, se, plt, udt, ss_stp, ss_se, "
            "stp_se or ss_stp_se",
        ),
        ({"methods": ["ss"]}, "c45 among them"),
        ({"gate_at": "middle"}, "`soft.gate_at` is `middle`; give threshold or midpoint"),
        ({"datasets": []}, "`soft.datasets` is `[]`; name at least one"),
        ({"datasets": ["pima", "pima"]}, "name each once"),
        ({"datasets": ["pma"]}, "unknown data set `pma` in `soft.datasets`; did you mean `pima`?"),
        ({"datasets": ["zzz"]}, "unknown data set `zzz`"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(soft, said):
    assert said in message(changed(**soft))


def test_a_setting_of_a_section_at_the_top_is_recognised():
    assert "did you mean `soft.n_folds`?" in message({**DEFAULT, "n_folds": 3})


def test_a_missing_setting_is_told():
    config = copy.deepcopy(DEFAULT)
    del config["soft"]["step"]
    assert message(config) == "configuration: setting `soft.step` is missing; give it: number > 0"


def test_the_file_that_holds_the_mistake_is_named(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("soft: {n_folds: 1}\n")
    files = [mine, ROOT / "config/default.yaml"]
    assert message(changed(n_folds=1), files).startswith(str(mine))
    assert message(changed(step=-1), files).startswith("command line: ")


def test_numbers_that_yaml_reads_as_texts_are_explained(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("soft: {confidence_tolerance: 1e-3}\n")
    config = changed(**load_yaml(mine)["soft"])
    assert message(config, [mine]).endswith("is the text `1e-3`; write it as 0.001")
    assert "use a file and --configfile" in message(changed(chunk="2"), [mine])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "soft: {noize: [0, 0.1]}",
            "mine.yaml: unknown setting `soft.noize`; did you mean `soft.noise_factors`? "
            "(list of numbers >= 0, 0 among them)\n",
        ),
        (
            "soft: {datasets: [habermann]}",
            "mine.yaml: unknown data set `habermann` in `soft.datasets`; did you mean "
            "`haberman`? (`hedgerow data list` shows all)\n",
        ),
        ("registry: nowhere.yaml", "nowhere.yaml: cannot read the data set registry"),
    ],
)
def test_snakemake_shows_the_line_and_nothing_else(project, text, said):
    done = project.snakemake("--dry-run", *project.settings(text, "mine"))
    assert done.returncode == 1
    shown = done.stderr.replace(
        "Config file config/default.yaml is extended by additional config specified via the "
        "command line.\n",
        "",
    )
    assert shown.startswith(said)
    assert shown.count("\n") == 1


def test_the_default_configuration_is_complete_and_is_the_schemas_default():
    check_config(DEFAULT, SCHEMA)
    for name, setting in walk(load_yaml(SCHEMA)):
        value = DEFAULT
        for key in name.split("."):
            value = value[key]
        assert setting["description"].strip().endswith(".")
        if "properties" not in setting:
            assert setting["default"] == value, name


@pytest.mark.parametrize("name", ["smoke", "paper"])
def test_other_configurations_hold_only_what_differs(name):
    content = load_yaml(ROOT / f"config/{name}.yaml")
    assert content["configuration"] == name
    sections = [name for name, value in content.items() if isinstance(value, dict)]
    assert "soft" in sections
    merged = {**DEFAULT, **content, **{s: {**DEFAULT[s], **content[s]} for s in sections}}
    check_config(merged, SCHEMA)
    check_noise(merged)
    for section in sections:
        for key, value in content[section].items():
            assert value != DEFAULT[section][key], f"`{section}.{key}` is as in the default"


def test_the_paper_configuration_runs_table_3_1():
    from hedgerow.experiments.soft.plan import TABLE_3_1

    soft = load_yaml(ROOT / "config/paper.yaml")["soft"]
    assert soft["datasets"] == list(TABLE_3_1.values())
    assert soft["n_permutations"] == 30


def test_all_data_sets_of_all_configurations_are_registered():
    from hedgerow.data import load_registry

    registry = load_registry(ROOT / "config/datasets.yaml")
    for name in ("default", "smoke", "paper"):
        check_datasets(load_yaml(ROOT / f"config/{name}.yaml"), registry)


def test_the_plan_knows_every_setting_and_no_other():
    """Settings of the schema and attributes of the plan bear the same names."""
    import dataclasses

    from hedgerow.experiments.soft.plan import SoftPlan

    of_plan = {f.name for f in dataclasses.fields(SoftPlan)}
    of_schema = set(load_yaml(SCHEMA)["properties"]["soft"]["properties"])
    assert of_schema - of_plan == {"chunk"}
    assert of_plan - of_schema == {"seed", "configuration"}


def test_the_plan_of_the_illustrations_is_the_section():
    import dataclasses

    from hedgerow.experiments.soft_illustration.plan import SoftIllustrationPlan

    fields = {f.name: f.default for f in dataclasses.fields(SoftIllustrationPlan)}
    of_schema = load_yaml(SCHEMA)["properties"]["soft_illustration"]["properties"]
    assert {k: v for k, v in fields.items() if k not in ("seed", "configuration")} == {
        key: value["default"] for key, value in of_schema.items()
    }


def test_the_plan_of_the_sweep_knows_every_setting_and_no_other():
    import dataclasses

    from hedgerow.experiments.soft_sweep.plan import SweepPlan

    of_plan = {f.name for f in dataclasses.fields(SweepPlan)}
    of_schema = load_yaml(SCHEMA)["properties"]["soft_sweep"]["properties"]
    assert of_plan - {"configuration"} == set(of_schema)
    default = SweepPlan()
    for key in ("noise_factors", "confidences", "factor"):
        assert getattr(default, key) == getattr(
            SweepPlan.from_config({key: of_schema[key]["default"]}, 0, "default"), key
        )


def test_the_paper_configuration_sweeps_the_five_printed_sets():
    from hedgerow.experiments.soft_sweep.plan import PRINTED

    assert load_yaml(ROOT / "config/paper.yaml")["soft_sweep"]["datasets"] == list(PRINTED)


def test_a_sweep_finds_its_noise_or_says_what_to_write():
    config = changed(noise_factors=[0, 0.3])
    with pytest.raises(ConfigError) as caught:
        check_noise(config)
    assert str(caught.value) == (
        "configuration: `soft_sweep.noise_factors` holds 0.1, which is not in "
        "`soft.noise_factors` (0, 0.3); the sweep learns from the samples of soft: use factors of "
        "that list"
    )
    config["soft_sweep"]["noise_factors"] = [0, 0.3]
    check_noise(config)
    check_noise({**changed(noise_factors=[0, 0.3]), "experiments": ["soft"]})


def test_a_survival_set_is_refused_before_anything_is_planned():
    """It was learnt from as if its event were a class and its time a measurement."""
    registry = load_registry(ROOT / "config/datasets.yaml")
    with pytest.raises(ConfigError, match="`heart_valve` is a survival set"):
        check_datasets(changed(datasets=["wine", "heart_valve"]), registry)


def test_more_permutations_than_samples_are_refused_before_anything_is_planned():
    registry = load_registry(ROOT / "config/datasets.yaml")
    with pytest.raises(ConfigError, match="31 permutations and `synthetic_soft_4` has 30 samples"):
        check_datasets(changed(n_permutations=31), registry)
    check_datasets(changed(n_permutations=31, datasets=["wine"]), registry)


def test_settings_of_a_rule_are_its_own():
    assert settings(DEFAULT, "soft", "step", "seed") == {"seed": DEFAULT["seed"], "step": 0.1}
    with pytest.raises(ConfigError, match="unknown setting"):
        settings(DEFAULT, "soft", "no_such_setting")


@pytest.mark.parametrize(("n", "size"), [(1, 1), (10, 3), (10, 5), (3, 100), (30, 7)])
def test_chunks_hold_every_permutation_once(n, size):
    found = [p for chunk in chunks(n, size) for p in permutations_of(chunk)]
    assert found == list(range(n))


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, "whole number >= 1 and <= 9"),
        ({"type": ["string", "null"]}, "text or null"),
        ({"enum": ["a", "b", "c"]}, "a, b or c"),
        ({"type": "boolean"}, "true or false"),
        ({"type": "array", "items": {"type": "string"}}, "list of text"),
    ],
)
def test_describe(schema, words):
    assert describe(schema) == words


def test_smoke_configuration_is_the_one_that_tests_run():
    assert yaml.safe_load((ROOT / SMOKE[1]).read_text())["configuration"] == "smoke"


def test_other_noise_cannot_have_more_permutations_than_soft():
    config = changed(n_permutations=2)
    with pytest.raises(ConfigError, match=r"n_permutations` is 3 and `soft\.n_permutations` 2"):
        check_permutations(config)
    check_permutations(changed(n_permutations=3))
    check_permutations({**config, "experiments": ["soft"]})


def test_stability_cannot_have_more_divisions_than_there_are():
    config = copy.deepcopy(DEFAULT)
    config["structure_beyond"].update(n_splits=3, stability_splits=4)
    with pytest.raises(ConfigError, match=r"stability_splits` is 4 and `structure_beyond\.n_spl"):
        check_permutations(config)
    config["structure_beyond"]["stability_splits"] = 3
    check_permutations(config)


def declared_settings() -> list[tuple[str, tuple[str, ...]]]:
    """Section and settings of every `settings(...)` in the rules that lists them by name."""
    found = set()
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        for listed in re.findall(r'settings\(\s*config,((?:\s*"\w+",?)+)\s*\)', file.read_text()):
            section, *keys = re.findall(r'"(\w+)"', listed)
            found.add((section, tuple(keys)))
    return sorted(found)


@pytest.mark.parametrize("configuration", ["default", "smoke", "paper", "midpoint", "threshold"])
def test_the_settings_of_a_rule_are_a_plan(configuration):
    """A job sees defaults for the settings that its rule does not declare: no check of one setting
    against another may stop it."""
    for module in pkgutil.iter_modules(experiments.__path__):
        importlib.import_module(f"hedgerow.experiments.{module.name}")
    plans = {plan.section: plan for plan in Plan.__subclasses__()}
    own = load_yaml(ROOT / f"config/{configuration}.yaml")
    declared = declared_settings()
    assert {section for section, _ in declared} == set(plans)
    for section, keys in declared:
        merged = {**DEFAULT[section], **own.get(section, {})}
        given = {key: merged[key] for key in keys if key in merged}
        plans[section].from_config(given, 0, configuration)


@pytest.mark.parametrize("name", ["datasets", "categorical_datasets"])
def test_every_list_of_data_sets_is_checked(name):
    registry = load_registry(ROOT / "config/datasets.yaml")
    config = copy.deepcopy(DEFAULT)
    config["soft_beyond"][name] = ["wine", "wina"]
    with pytest.raises(ConfigError, match=rf"`wina` in `soft_beyond\.{name}`; did you mean `wine`"):
        check_datasets(config, registry)


def test_the_plan_of_other_noise_knows_its_settings_and_those_of_soft():
    import dataclasses

    from hedgerow.experiments.soft_beyond.plan import SoftBeyondPlan

    of_plan = {f.name for f in dataclasses.fields(SoftBeyondPlan)}
    sections = load_yaml(SCHEMA)["properties"]
    of_schema = set(sections["soft_beyond"]["properties"])
    assert of_schema - of_plan == {"chunk"}
    shared = of_plan - of_schema - {"seed", "configuration"}
    assert shared == {"gate_at", "min_samples_split", "step", "window"}
    assert shared <= set(sections["soft"]["properties"])


def test_the_plan_beyond_chapter_4_knows_its_settings_and_no_other():
    import dataclasses

    from hedgerow.experiments.search_beyond.plan import SearchBeyondPlan

    of_plan = {f.name for f in dataclasses.fields(SearchBeyondPlan)}
    of_schema = set(load_yaml(SCHEMA)["properties"]["search_beyond"]["properties"])
    assert of_schema - of_plan == {"chunk"}
    # The library is no setting: it is installed or not.
    assert of_plan - of_schema == {"seed", "configuration", "library"}


def test_the_plan_of_chapter_5_knows_its_settings_and_their_defaults():
    import dataclasses

    from hedgerow.experiments.structure.plan import StructurePlan

    fields = {f.name: f.default for f in dataclasses.fields(StructurePlan)}
    schema = load_yaml(SCHEMA)["properties"]["structure"]["properties"]
    assert set(schema) - set(fields) == {"chunk"}
    # What the thesis calls its data set is read from the registry.
    assert set(fields) - set(schema) == {"seed", "configuration", "printed"}
    for name, default in fields.items():
        if name in schema:
            value = schema[name]["default"]
            assert default == (tuple(value) if isinstance(value, list) else value)


def test_the_plan_beyond_chapter_5_knows_its_settings_and_their_defaults():
    import dataclasses

    from hedgerow.experiments.structure_beyond.plan import StructureBeyondPlan

    fields = {f.name: f.default for f in dataclasses.fields(StructureBeyondPlan)}
    schema = load_yaml(SCHEMA)["properties"]["structure_beyond"]["properties"]
    assert set(schema) - set(fields) == {"chunk"}
    assert set(fields) - set(schema) == {"seed", "configuration"}
    for name, default in fields.items():
        if name in schema and name != "datasets":
            value = schema[name]["default"]
            assert default == (tuple(value) if isinstance(value, list) else value)


def test_a_single_data_set_is_looked_up_as_those_of_a_list_are():
    config = load_yaml(ROOT / "config/default.yaml")
    config["structure_beyond"]["patterns_dataset"] = "wdcb"
    with pytest.raises(ConfigError, match="unknown data set `wdcb`"):
        check_datasets(config, ["wdbc", *_named(config)])


def _named(config) -> set[str]:
    """Every data set in a list of a configuration."""
    return {
        name
        for section in config.values()
        if isinstance(section, dict)
        for key, names in section.items()
        if key.endswith("datasets")
        for name in names
    }


def test_published_keys_of_a_paper_are_unique():
    from types import SimpleNamespace

    from hedgerow.workflow.config import published_keys

    registry = SimpleNamespace(published=lambda paper: {"a": ["x"]})
    assert published_keys(registry, "thesis4") == {"a": "x"}
    twice = SimpleNamespace(published=lambda paper: {"a": ["x", "y"]})
    with pytest.raises(ConfigError, match="`a` of thesis4 is the published name of x, y"):
        published_keys(twice, "thesis4")
