"""Settings: one line per mistake, complete defaults, a manual that is up to date."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import re
import sys

import pytest
from throwaway import ROOT, Project

from hedgerow.data import load_registry
from hedgerow.errors import ConfigError
from hedgerow.files import read_yaml
from hedgerow.induction import core
from hedgerow_study.experiments import WORDS, folder_of
from hedgerow_study.experiments.plan import Plan, sections
from hedgerow_study.experiments.soft.plan import MOST_STEPS
from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.jobs.steps import declarations, section_of, step
from hedgerow_study.workflow.settings.config import (
    Head,
    check_config,
    check_datasets,
    chunks,
    config_schema,
    settings,
    walk,
)

SECTIONS = sections()
DEFAULT = read_yaml(ROOT / "config/default.yaml")


def changed(**soft) -> dict:
    """The default configuration with some settings of `soft` changed."""
    config = copy.deepcopy(DEFAULT)
    config["soft"].update(soft)
    return config


def message(config, files=()) -> str:
    """What the check says about a configuration."""
    with pytest.raises(ConfigError) as caught:
        check_config(config, files)
        check_datasets(config, DEFAULT["soft"]["datasets"], files)
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("soft", "said"),
    [
        (
            {"noize_factors": [0]},
            "unknown setting `soft.noize_factors`; did you mean `soft.noise_factors`? "
            "(list of numbers >= 0 and <= 1000000, 0 among them)",
        ),
        ({"n_fold": 3}, "did you mean `soft.n_folds`? (whole number >= 2 and <= 100000)"),
        ({"xyzzy": 3}, "unknown setting `soft.xyzzy`; config/README.md lists all settings"),
        ({"n_folds": "ten"}, "`soft.n_folds` is `ten`; give a whole number >= 2"),
        ({"n_folds": 1}, "`soft.n_folds` is `1`; give a whole number >= 2"),
        ({"n_folds": None}, "`soft.n_folds` is empty; give a whole number >= 2"),
        ({"n_folds": 5.0}, "`soft.n_folds` is `5.0`; give a whole number >= 2"),
        ({"window": float("inf")}, "`soft.window` is `.inf`; give a number > 0"),
        (
            {"uncertainties": [0.1, float("nan")]},
            "`soft.uncertainties` is `.nan`; give a list of numbers > 0",
        ),
        ({"uncertainties": "3"}, "`soft.uncertainties` is `3`; give a list of numbers > 0"),
        ({"test_size": 1.5}, "`soft.test_size` is `1.5`; give a number > 0 and < 1"),
        (
            {"noise_factors": [0, -0.1]},
            "`-0.1`; give a list of numbers >= 0 and <= 1000000, 0 among them",
        ),
        (
            {"noise_factors": [0.1]},
            "`[0.1]`; give a list of numbers >= 0 and <= 1000000, 0 among them",
        ),
        ({"uncertainties": [0, 0.1]}, "`soft.uncertainties` is `0`; give a list of numbers > 0"),
        (
            {"methods": ["c45", "sss"]},
            "`soft.methods` is `sss`; give a list of c45, ss, stp, se, plt, udt, ss_stp, ss_se, "
            "stp_se or ss_stp_se",
        ),
        ({"methods": ["ss"]}, "c45 among them"),
        (
            {"gate_at": "middle"},
            "`soft.gate_at` is `middle`; give threshold, midpoint or ties_right",
        ),
        ({"datasets": []}, "`soft.datasets` is `[]`; name at least one"),
        ({"datasets": ["pima", "pima"]}, "name each once"),
        ({"datasets": ["pma"]}, "unknown data set `pma` in `soft.datasets`; did you mean `pima`?"),
        ({"datasets": ["zzz"]}, "unknown data set `zzz`"),
    ],
)
def test_a_wrong_setting_is_told_in_one_line(soft, said):
    assert said in message(changed(**soft))


def numbers():
    """Section, key and schema of every setting that is a number or a list of them."""
    for word, plan in SECTIONS.items():
        for key, schema in plan.schema()["properties"].items():
            one = schema.get("items", schema)
            if {"integer", "number"} & {*one.get("type", "").split()}:
                yield word, key, one


@pytest.mark.parametrize("value", [10**30, 1e300, -(10**30), 2**63, float("inf")])
def test_a_number_beyond_use_is_told_before_anything_is_planned(value):
    """10**30 rounds of anything began, and noise of 1e300 was drawn and refused by the learner."""
    for word, key, one in numbers():
        assert {"minimum", "exclusiveMinimum"} & set(one), (word, key)
        assert {"maximum", "exclusiveMaximum"} & set(one), (word, key)
        config = copy.deepcopy(DEFAULT)
        listed = isinstance(config[word][key], list)
        config[word][key] = [*config[word][key], value] if listed else value
        assert f"`{word}.{key}` is" in message(config)


def test_the_steps_of_a_window_are_as_many_as_soft_search_takes():
    assert MOST_STEPS == core.MOST_STEPS
    said = message(changed(step=1e-6))
    assert "`soft.step` is 1e-06 and `soft.window` 6; give a step of at least 6e-05" in said


def test_bootstrap_samples_that_no_memory_holds_are_told():
    config = copy.deepcopy(DEFAULT)
    config["structure"] |= {"n_bootstrap": 100_000, "n_trees": 20_000}
    assert message(config).endswith(
        "`structure.n_bootstrap` is 100000 and `structure.n_trees` 20000, which take 44.7 GiB of "
        "memory; of so many trees give at most 5000 samples"
    )


def test_a_setting_of_a_section_at_the_top_is_recognised():
    assert "did you mean `soft.n_folds`?" in message({**DEFAULT, "n_folds": 3})


def test_a_missing_setting_is_told():
    config = copy.deepcopy(DEFAULT)
    del config["soft"]["step"]
    assert (
        message(config)
        == "configuration: setting `soft.step` is missing; give it: number > 0 and <= 1000"
    )


def test_the_file_that_holds_the_mistake_is_named(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("soft: {n_folds: 1}\n")
    files = [mine, ROOT / "config/default.yaml"]
    assert message(changed(n_folds=1), files).startswith(str(mine))
    assert message(changed(step=-1), files).startswith("command line: ")


def test_numbers_that_yaml_reads_as_texts_are_explained(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("soft: {confidence_tolerance: 1e-3}\n")
    config = changed(**read_yaml(mine)["soft"])
    assert message(config, [mine]).endswith("is the text `1e-3`; write it as 0.001")
    assert "use a file and --configfile" in message(changed(chunk="2"), [mine])


@pytest.mark.runs
@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "soft: {noize_factors: [0, 0.1]}",
            "mine.yaml: unknown setting `soft.noize_factors`; did you mean `soft.noise_factors`? "
            "(list of numbers >= 0 and <= 1000000, 0 among them)\n",
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
    done = project.forked("--dry-run", *project.settings(text, "mine"))
    assert done.returncode == 1
    shown = done.stderr
    for of_snakemake in (
        "Using workflow specific profile profiles/default for setting default command line "
        "arguments.\n",
        "Config file config/default.yaml is extended by additional config specified via the "
        "command line.\n",
    ):
        shown = shown.replace(of_snakemake, "")
    assert shown.startswith(said)
    assert shown.count("\n") == 1


def test_the_default_configuration_is_complete_and_is_the_schemas_default():
    check_config(DEFAULT)
    for name, setting in walk(config_schema()):
        value = DEFAULT
        for key in name.split("."):
            value = value[key]
        assert setting["description"].strip().endswith(".")
        if "properties" not in setting:
            assert setting["default"] == value, name


@pytest.mark.parametrize("name", ["smoke", "paper"])
def test_other_configurations_hold_only_what_differs(name):
    content = read_yaml(ROOT / f"config/{name}.yaml")
    assert content["configuration"] == name
    sections = [name for name, value in content.items() if isinstance(value, dict)]
    assert "soft" in sections
    merged = {**DEFAULT, **content, **{s: {**DEFAULT[s], **content[s]} for s in sections}}
    check_config(merged)
    for section in sections:
        for key, value in content[section].items():
            assert value != DEFAULT[section][key], f"`{section}.{key}` is as in the default"


def test_the_paper_configuration_runs_table_3_1():
    from hedgerow_study.experiments.soft.plan import TABLE_3_1

    soft = DEFAULT["soft"] | read_yaml(ROOT / "config/paper.yaml")["soft"]
    assert soft["datasets"] == list(TABLE_3_1.values())
    assert soft["n_repeats"] == 30


def test_the_paper_configuration_sweeps_the_five_printed_sets():
    from hedgerow_study.experiments.soft_sweep.plan import PRINTED

    assert "soft_sweep" not in read_yaml(ROOT / "config/paper.yaml")
    assert DEFAULT["soft_sweep"]["datasets"] == list(PRINTED)


def test_a_sweep_finds_its_noise_or_says_what_to_write():
    config = changed(noise_factors=[0, 0.3])
    with pytest.raises(ConfigError) as caught:
        check_config(config)
    assert str(caught.value) == (
        "configuration: `soft_sweep.noise_factors` holds 0.1, which is not in "
        "`soft.noise_factors` (0, 0.3); the sweep learns from the samples of soft: use factors of "
        "that list"
    )
    config["soft_sweep"]["noise_factors"] = [0, 0.3]
    check_config(config)
    check_config({**changed(noise_factors=[0, 0.3]), "experiments": ["soft"]})


def test_a_survival_set_is_refused_before_anything_is_planned():
    """It was learnt from as if its event were a class and its time a measurement."""
    registry = load_registry(ROOT / "config/datasets.yaml")
    with pytest.raises(ConfigError, match="`heart_valve` is a survival set"):
        check_datasets(changed(datasets=["wine", "heart_valve"]), registry)


def test_more_repeats_than_samples_are_refused_before_anything_is_planned():
    registry = load_registry(ROOT / "config/datasets.yaml")
    with pytest.raises(ConfigError, match="31 repeats and `synthetic_soft_1` has 30 samples"):
        check_datasets(changed(n_repeats=31), registry)
    check_datasets(changed(n_repeats=31, datasets=["wine"]), registry)


def test_settings_of_a_rule_are_its_own():
    assert settings(DEFAULT, "soft", "step", "seed") == {"seed": DEFAULT["seed"], "step": 0.1}
    with pytest.raises(ConfigError, match="unknown setting"):
        settings(DEFAULT, "soft", "no_such_setting")


@pytest.mark.parametrize(("n", "size"), [(1, 1), (10, 3), (10, 5), (3, 100), (30, 7)])
def test_one_more_repeat_leaves_all_chunks_alone_until_it_fills_one(n, size):
    """The last chunk held the rest: one repeat more gave it another name, and it ran again."""
    gone = set(chunks(n, size)) - set(chunks(n + 1, size))
    assert not gone or (n + 1) % size == 0


def test_an_ensemble_cannot_be_larger_than_what_it_is_chosen_from():
    config = copy.deepcopy(DEFAULT)
    config["experiments"] = list(WORDS)
    config["diverse_trees"].update(sizes=[3, 30], n_bagged=20)
    with pytest.raises(
        ConfigError, match=r"diverse_trees\.sizes` holds 30 and `diverse_trees\.n_bagg"
    ):
        check_config(config)
    check_config({**config, "experiments": ["soft"]})


def declared_settings(config) -> list[tuple[str, dict]]:
    """Section and settings of every plan that a rule gives its job."""
    found = []
    for call in filter(None, (rule.call for rule in rules_of(ROOT).values())):
        params = step(config, call)
        for declared in declarations(call):
            plans = {name: section for name, (section, *_) in declared.plans.items()}
            if declared.settings and "plan" in params:
                plans["plan"] = section_of(declared.word)
            found += [(section, params[name]) for name, section in plans.items()]
    return found


@pytest.mark.parametrize(
    "configuration", ["default", "smoke", "paper", "midpoint", "threshold", "multiverse"]
)
def test_the_settings_of_a_rule_are_a_plan(configuration):
    """A job sees defaults for the settings that its rule does not declare: no check of one setting
    against another may stop it."""
    own = read_yaml(ROOT / f"config/{configuration}.yaml")
    sections = {s: {**DEFAULT[s], **own.get(s, {})} for s in SECTIONS}
    declared = declared_settings({**DEFAULT, **own, **sections})
    assert {section for section, _ in declared} == set(SECTIONS)
    for section, given in declared:
        SECTIONS[section].from_config(given, 0, configuration)


@pytest.mark.parametrize(
    ("section", "name", "value", "wrong", "meant"),
    [
        ("optimality_gap", "datasets", ["wine", "wina"], "wina", "wine"),
        ("optimality_gap", "quantile_datasets", ["wine", "wina"], "wina", "wine"),
        ("uncertainty_benchmark", "people_dataset", "wdcb", "wdcb", "wdbc"),
    ],
)
def test_every_list_of_data_sets_is_checked_and_a_single_one(section, name, value, wrong, meant):
    registry = load_registry(ROOT / "config/datasets.yaml")
    config = copy.deepcopy(DEFAULT)
    config[section][name] = value
    with pytest.raises(
        ConfigError, match=rf"`{wrong}` in `{section}\.{name}`; did you mean `{meant}"
    ):
        check_datasets(config, registry)


def test_published_keys_of_a_paper_are_unique():
    from types import SimpleNamespace

    from hedgerow_study.workflow.settings.config import published_keys

    registry = SimpleNamespace(published=lambda paper: {"a": ["x"]})
    assert published_keys(registry, "thesis4") == {"a": "x"}
    twice = SimpleNamespace(published=lambda paper: {"a": ["x", "y"]})
    with pytest.raises(ConfigError, match="`a` of thesis4 is the published name of x, y"):
        published_keys(twice, "thesis4")


# ------------------------------------------------------------------------- one place per setting


def test_every_experiment_has_a_word_and_its_settings_a_section():
    assert all(
        (ROOT / "src/hedgerow_study" / folder_of(word) / "plan.py").is_file() for word in WORDS
    )
    assert list(SECTIONS) == list(WORDS)
    assert all(plan.section == word for word, plan in SECTIONS.items())


@pytest.mark.parametrize("plan", [Head, *SECTIONS.values()])
def test_every_field_of_a_plan_is_a_setting_with_a_meaning_or_is_given(plan):
    fields = [field.name for field in dataclasses.fields(plan)]
    assert {*plan.settings(), *plan.given, "configuration", "seed"} == set(fields)
    for name, setting in plan.settings().items():
        assert re.fullmatch(r"[A-Z].{10,}\.", setting.meaning, re.DOTALL), name
        assert setting.meaning.count("  ") == 0, f"{name}: a blank too many where texts meet"
    if plan.section:
        assert inspect.getdoc(plan).endswith(".")


@pytest.mark.parametrize("word", SECTIONS)
def test_a_plan_is_given_what_its_rules_give(word):
    """And what it shares with another section, whose setting says what it is."""
    text = (ROOT / f"workflow/rules/{word}.smk").read_text()
    calls = re.findall(r"\*\*step\((.*?)\),\n", text, re.DOTALL)
    given = {name for call in calls for name in re.findall(r"(\w+)=", call)}
    given |= set(re.findall(r'^    given=\{"(\w+)":', text, re.MULTILINE))
    shared = {"noise_models": {"gate_at", "min_samples_split", "step", "window"}}.get(word, set())
    assert set(SECTIONS[word].given) == given | shared
    assert shared <= set(SECTIONS["soft"].settings())


@pytest.mark.parametrize("word", SECTIONS)
def test_no_text_states_how_work_is_cut_and_kept(word):
    apart = {"chunk", "repeat_chunk", "store_samples"}
    assert set(SECTIONS[word].hidden_settings()) == apart & set(SECTIONS[word].settings())


@pytest.mark.parametrize("word", SECTIONS)
def test_no_default_is_stated_twice(word):
    """Seventeen defaults of plans were not those of config/default.yaml: a plan that was built
    directly, or by a job, ran other settings than the workflow."""
    plan = SECTIONS[word]
    assert plan() == plan.from_config(DEFAULT[word], 0, "default")
    # A field that is no setting of the section takes the default of the setting that it is.
    stated = {
        node.target.id: node.value
        for part in plan.__mro__[: plan.__mro__.index(Plan)]
        for node in ast.parse(inspect.getsource(part)).body[0].body
        if isinstance(node, ast.AnnAssign) and not ast.unparse(node.annotation).startswith("Class")
    }
    assert set(stated) == {*plan.settings(), *plan.given}
    for name, value in stated.items():
        if name in plan.settings():
            assert ast.unparse(value.func) in ("setting", "in_chunks")
        elif name not in ("cohorts", "library", "printed"):
            assert isinstance(value, ast.Attribute) and value.attr == name


@pytest.mark.parametrize("word", SECTIONS)
def test_a_plan_that_is_built_directly_is_checked_as_its_section_is(word):
    """In the words of the check of the configuration, but for the file."""
    plan = SECTIONS[word]
    schema = plan.schema()["properties"]
    assert set(schema) == set(plan.settings()) == set(DEFAULT[word])
    for name, setting in schema.items():
        wrong = None if setting.get("type") != "array" else [None]
        with pytest.raises(ConfigError) as direct:
            plan(**{name: wrong})
        config = copy.deepcopy(DEFAULT)
        config[word][name] = wrong
        with pytest.raises(ConfigError) as checked:
            check_config(config)
        assert str(checked.value) == f"configuration: {direct.value}"
        assert str(direct.value).startswith(f"`{word}.{name}` is ")


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({"confidences": [0.5]}, "`soft_sweep.confidences` is `[0.5]`; name at least 2"),
        ({"uncertainty": 0}, "`soft_sweep.uncertainty` is `0`; give a number > 0 and <= 1000000"),
        ({"noise_factors": [0, 0]}, "`soft_sweep.noise_factors` is `[0, 0]`; name each once"),
        (
            {"fator": 1},
            "unknown setting `soft_sweep.fator`; use one of confidences, datasets, "
            "noise_factors, uncertainty",
        ),
    ],
)
def test_a_plan_names_the_setting_and_what_it_takes(section, said):
    with pytest.raises(ConfigError) as caught:
        SECTIONS["soft_sweep"].from_config(section, 0, "mine")
    assert str(caught.value) == said


def test_a_plan_does_not_depend_on_order_and_kind_of_numbers():
    soft = SECTIONS["soft"]
    assert soft(noise_factors=(0.1, 0), methods=("se", "c45")) == soft(
        noise_factors=[0.0, 0.1], methods=["c45", "se"]
    )
    assert repr(soft(target_leaves=(5, 15)).target_leaves) == "(15.0, 5.0)"
    assert repr(soft(window=6).window) == "6.0"
    assert soft(datasets=["wine", "bupa"]).datasets == ("wine", "bupa")


def test_planning_imports_plans_and_no_step():
    """It runs at every start of the workflow."""
    code = "import sys; from hedgerow_study.workflow.settings.config import config_schema as s; "
    code += "s(); print(*sys.modules)"
    done = Project(ROOT, sys.executable).python("-c", code)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    ours = {
        name.split(".", 2)[-1] for name in loaded if re.match(r"hedgerow_study\.ex\w+s\.", name)
    }
    assert ours == {"plan", "comparisons", *WORDS, *(f"{word}.plan" for word in WORDS)}
    assert not {"matplotlib", "pandas", "sklearn", "hedgerow.tree", "hedgerow.induction"} & loaded
