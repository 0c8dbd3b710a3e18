"""Templates of pages: what is not marked as HTML is escaped, and numbers have one form."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hedgerow.ids import title_of
from hedgerow.showing.numbers import count, in_form, number, p_text, p_words
from hedgerow.texts import legible

if TYPE_CHECKING:
    import jinja2


def environment(package: str, **filters: Callable[..., Any]) -> jinja2.Environment:
    """Templates of a package by their paths in it, with the filters of all pages and its own."""
    import jinja2

    def source(name: str) -> str:
        return resources.files(package).joinpath(name).read_text(encoding="utf-8")

    templates = jinja2.Environment(
        loader=jinja2.FunctionLoader(source),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
    )
    shared = {f.__name__: f for f in (count, in_form, number, p_words, p_text, title_of)}
    templates.filters |= shared | filters
    return templates


@lru_cache
def _plain(package: str) -> jinja2.Environment:
    return environment(package)


def render(template: str, **context: Any) -> Markup:
    """Fill a template, whose path begins with its package."""
    package, _, path = template.partition("/")
    return Markup(_plain(package).get_template(path).render(**context))


def _shown(value: Any) -> Any:
    """What a template prints: texts without characters that a page cannot hold."""
    return type(value)(legible(value)) if isinstance(value, str) else value
