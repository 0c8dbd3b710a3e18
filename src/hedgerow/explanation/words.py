"""An explanation as a text and as a page."""

from __future__ import annotations

import html as markup
from collections.abc import Sequence
from typing import Any

import numpy as np

from hedgerow.confidence.revisions import class_shares
from hedgerow.texts import legible, one_line
from hedgerow.tree.export import number

# `Explanation`, `Step` and `Leaf` are those of `hedgerow.explanation.explanation`, which calls this
# module, so that none of them is imported here.

MOST_LEAVES = 8  # that are listed one by one
LEAST = 5e-4  # bits: a fall that is written as 0
NEAR = 100.0  # standard deviations from which on a distance says no more


def text(explanation: Any) -> str:
    """What a person reads of one case, in lines."""
    shares = class_shares(explanation.classes, explanation.probabilities)
    lines = [f"answer: {explanation.answer} ({shares})"]
    if explanation._case is not None:
        lines += _sections(explanation)
    if explanation.revisions is not None:
        revisions = str(explanation.revisions).splitlines()
        lines += ["revisions by the nodes (ConfDTree):", *("  " + line for line in revisions)]
    return "\n".join(one_line(line) for line in lines)  # names and labels may hold breaks


def _sections(explanation: Any) -> list[str]:
    lines = []
    if explanation.path:
        lines.append("path, as the values stand:")
        lines += [f"  {'  ' * step.depth}{step_words(step)}" for step in explanation.path]
    if len(explanation.leaves) > 1 or not explanation.path:
        lines.append("leaves that it may belong to:")
        leaves, rest = explanation.leaves[:MOST_LEAVES], explanation.leaves[MOST_LEAVES:]
        lines += ["  " + leaf_words(leaf, explanation.classes) for leaf in leaves]
        if rest:
            left = sum(leaf.probability for leaf in rest)
            lines.append(f"  {len(rest)} more: {left:.3f}")
    else:
        lines.append(leaf_words(explanation.leaves[0], explanation.classes))
    lines += uncertainty_words(explanation)
    return lines


def step_words(step: Any) -> str:
    """One test, the value, and how far it is from the threshold."""
    if step.value is None:
        return (
            f"{step.test}: {step.variable} is missing, {percent(step.left)} of the training weight "
            "is on the left"
        )
    value = _shown(step)
    if not np.isnan(step.threshold):
        side = "yes" if step.value < step.threshold else "no"
    else:
        side = "yes" if step.left >= 0.5 else "no"
    words = f"{step.test}: {step.variable} = {value}, {side}"
    if np.isnan(step.distance) or np.isinf(step.distance):
        return words
    far = abs(step.distance)
    far_words = f"more than {NEAR:g}" if far > NEAR else f"{far:.2f}"
    where = "below" if step.distance < 0 else "above"
    certain = step.left if side == "yes" else 1.0 - step.left
    return f"{words} ({far_words} standard deviations {where}; probability {percent(certain)})"


def _shown(step: Any) -> str:
    """The value at a test, with as many digits as distinguish it from the threshold."""
    if isinstance(step.value, str):
        return step.value
    return number(step.value, apart=[step.threshold])


def leaf_words(leaf: Any, classes: Sequence) -> str:
    """One leaf: its probability, answer and training cases."""
    return (
        f"leaf {leaf.node}, probability {percent(leaf.probability)}: {leaf.answer} "
        f"(n = {number(leaf.n, 3)}: {class_shares(classes, leaf.shares)})"
    )


def uncertainty_words(explanation: Any) -> list[str]:
    """How sure the answer is."""
    c = explanation.classes.index(explanation.answer)
    measuring = np.sqrt(explanation.variance_measuring[c])
    cases = np.sqrt(explanation.variance_cases[c])
    lines = [
        f"uncertainty of {explanation.answer}, as standard deviations of its probability: "
        f"{measuring:.3f} from the leaf it belongs to, {cases:.3f} from the few cases of a leaf"
    ]
    if explanation.changes is None:
        return [*lines, "no measurement error is given for the tested variables"]
    once = "measured again" if explanation.case.given == "measured" else "measured"
    changes = percent(explanation.changes)
    lines.append(
        f"if all values are {once}, the answer is not {explanation.stands} "
        f"with probability {changes}"
    )
    repeated = {name: fall for name, fall in explanation.repeat_gain.items() if fall >= LEAST}
    if repeated:
        name, fall = next(iter(repeated.items()))
        lines.append(
            f"worth measuring again: {name} (the answer's entropy falls from "
            f"{explanation.entropy:.3f} by {fall:.3f} bits on average)"
        )
    else:
        lines.append("no single repeat would make it more certain")
    if not explanation.exact:
        lines.append("too many paths through the tree: estimated from draws with a fixed seed")
    return lines


def percent(share: float) -> str:
    """A probability in per cent, never rounded to 0 or 100 when it is neither."""
    if 0.0 < share < 5e-4:
        return "less than 0.1 %"
    if 0.9995 <= share < 1.0:
        return "more than 99.9 %"
    return f"{100 * share:.1f} %"


# ------------------------------------------------------------------------------------ page

_STYLE = """
.hr-e{font:14px/1.45 system-ui,sans-serif;color:#222;background:#fff;max-width:46em;padding:.4em}
.hr-e table{border-collapse:collapse;font:inherit;margin:.3em 0 .9em;width:100%}
.hr-e th,.hr-e td{text-align:left;padding:.2em .6em .2em 0;border-bottom:1px solid #ddd;
vertical-align:top}
.hr-e td.n,.hr-e th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.hr-e caption{text-align:left;font-weight:600;padding-top:.5em}
.hr-e .b{display:inline-block;height:.75em;background:#0072B2;min-width:1px}
.hr-e p{margin:.4em 0}.hr-e pre{white-space:pre-wrap;font-size:.9em;margin:.3em 0}
.hr-e .w{overflow-x:auto}
"""


def html(explanation: Any) -> str:
    """As `Explanation.to_html`."""
    return f'<div class="hr-e"><style>{_STYLE}</style>{_page(explanation)}</div>'


def html_of_rows(cases: Sequence[tuple[int, Any]]) -> str:
    """The pages of several cases as one; each with the number of its row."""
    pages = "".join(
        f"<details{' open' if len(cases) == 1 else ''}><summary>row {row}: "
        f"{_escaped(case.answer)} ({case.probabilities.max():.3f})</summary>{_page(case)}</details>"
        for row, case in cases
    )
    return f'<div class="hr-e"><style>{_STYLE}</style>{pages}</div>'


def _page(explanation: Any) -> str:
    parts = [f"<p><strong>Answer: {_escaped(explanation.answer)}</strong></p>"]
    if explanation._case is not None:
        lines = uncertainty_words(explanation)
        parts += [f"<p>{_escaped(line[0].upper() + line[1:])}.</p>" for line in lines]
    parts.append(_classes(explanation))
    if explanation._case is not None:
        if explanation.path:
            rows = [
                (_escaped(step.test), _value(step), _distance(step), _short(step.left))
                for step in explanation.path
            ]
            heads = ("test", "value", "distance", "left")
            parts.append(_table("Path, as the values stand", heads, rows))
        rows = [
            (
                f"{leaf.node}: {_escaped(leaf.answer)}",
                _escaped(class_shares(explanation.classes, leaf.shares)),
                number(leaf.n, 3),
                _bar(leaf.probability),
            )
            for leaf in explanation.leaves[:MOST_LEAVES]
        ]
        heads = ("leaf", "classes", "n", "probability")
        parts.append(_table("Leaves it may belong to", heads, rows))
    if explanation.revisions is not None:
        revisions = _escaped(explanation.revisions)
        parts.append(f"<p>Doubts of the nodes (ConfDTree):</p><pre>{revisions}</pre>")
    return "".join(parts)


def _classes(explanation: Any) -> str:
    classes, probabilities = explanation.classes, explanation.probabilities
    order = np.argsort(-probabilities, kind="stable")
    if explanation._case is None:
        rows = [(_escaped(classes[c]), _bar(probabilities[c])) for c in order]
        return _table("Classes", ("class", "probability"), rows)
    rows = [
        (
            _escaped(classes[c]),
            f"{np.sqrt(explanation.variance_measuring[c]):.3f}",
            f"{np.sqrt(explanation.variance_cases[c]):.3f}",
            _bar(probabilities[c]),
        )
        for c in order
    ]
    heads = ("class", "doubt: leaf", "doubt: few cases", "probability")
    return _table("Classes", heads, rows)


def _table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    def line(cells: Sequence[str], tag: str) -> str:
        *words, share = cells
        before = "".join(f"<{tag}>{cell}</{tag}>" for cell in words)
        return f'{before}<{tag} class="n">{share}</{tag}>'

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    return (
        f'<div class="w"><table><caption>{caption}</caption><thead><tr>{line(heads, "th")}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )


def _bar(share: float) -> str:
    return f'<span class="b" style="width:{4 * share:.2f}em"></span> {_short(share)}'


def _short(share: float) -> str:
    """As `percent`, for the column of a table."""
    return percent(float(share)).replace("less than ", "< ").replace("more than ", "> ")


def _value(step: Any) -> str:
    if step.value is None:
        return "missing"
    return _escaped(_shown(step))


def _distance(step: Any) -> str:
    if np.isnan(step.distance):
        return ""
    return "exact" if np.isinf(step.distance) else f"{step.distance:+.2f} sd"


def _escaped(value) -> str:
    return markup.escape(legible(str(value)))
