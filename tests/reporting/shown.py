"""Captions as the jobs of the workflow would write them."""

import importlib
import inspect


def shown_by(word):
    """Id -> what stands at each function of an experiment that makes a table or figure."""
    found = {}
    for kind in ("tables", "figures", "claims"):
        try:
            module = importlib.import_module(f"hedgerow.experiments.{word}.{kind}")
        except ModuleNotFoundError:
            continue
        own = [f for f in vars(module).values() if hasattr(f, "shown")]
        found |= {f.shown.id: f.shown for f in own if f.__module__ == module.__name__}
    return found


def captions_of(word, **inputs):
    """Caption of every table and figure of an experiment, from inputs of their jobs."""

    def arguments(function):
        return {name: inputs[name] for name in inspect.signature(function).parameters}

    return {name: shown.said(arguments) for name, shown in shown_by(word).items()}


def made_by(function, **inputs):
    """What a function makes from those inputs of its job that it has parameters for."""
    return function(**{name: inputs[name] for name in inspect.signature(function).parameters})
