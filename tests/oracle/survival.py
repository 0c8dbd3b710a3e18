"""Survival in plain Python, from the formulas of textbooks and papers."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np


def kaplan_meier(time, event) -> list[tuple[float, Fraction]]:
    """(t, S(t)) at each time with an event: the product of 1 - d/n over times up to t."""
    survival, steps = Fraction(1), []
    for t in sorted({t for t, e in zip(time, event, strict=True) if e}):
        at_risk = sum(other >= t for other in time)
        died = sum(e and other == t for other, e in zip(time, event, strict=True))
        survival *= 1 - Fraction(died, at_risk)
        steps.append((t, survival))
    return steps


def quantile(steps: list[tuple[float, Fraction]], level: Fraction) -> float:
    """First time at which survival is `level` or less; infinite if it never is."""
    return next((t for t, survival in steps if survival <= level), float("inf"))


def redistributed(time, ends, horizon) -> list[Fraction]:
    """Mass of each patient when the censored hand theirs on, in equal parts (Efron 1967).

    Whoever's follow-up `ends` before the horizon gives the mass to all who are followed longer, the
    earliest first. The others keep what they have in the end.
    """
    mass = [Fraction(1)] * len(time)
    for t in sorted({t for t in time if t < horizon}):
        gives = [i for i, u in enumerate(time) if u == t and ends[i]]
        takes = [i for i, u in enumerate(time) if u > t]
        given = sum(mass[i] for i in gives)
        for i in gives:
            mass[i] = Fraction(0)
        for i in takes:
            mass[i] += given / len(takes)
    return mass


def truncated_masses(time, ends, entry, horizon) -> list[Fraction]:
    """Mass of each patient by the product-limit estimate, at risk those with entry < t <= time.

    Of an event by the horizon the survival before it, divided among those at risk; of the others
    who are at risk at the horizon an equal part of what is left (Lynden-Bell 1971).
    """
    left, mass, there = Fraction(1), [Fraction(0)] * len(time), range(len(time))
    for t in sorted({time[i] for i in there if not ends[i] and time[i] <= horizon}):
        at_risk = [i for i in there if entry[i] < t <= time[i]]
        died = [i for i in at_risk if time[i] == t and not ends[i]]
        for i in died:
            mass[i] = left / len(at_risk)
        left *= 1 - Fraction(len(died), len(at_risk))
    last = [i for i in there if entry[i] < horizon <= time[i] and not mass[i]]
    last = [i for i in last if ends[i] or time[i] > horizon]
    for i in last:
        mass[i] = left / len(last)
    return mass


def incidence(time, event, cause=1) -> list[tuple[float, Fraction]]:
    """(t, F(t)) at each time with an event: the sum of S(t-) d/n, S of all causes together."""
    survival, total, steps = Fraction(1), Fraction(0), []
    for t in sorted({t for t, e in zip(time, event, strict=True) if e}):
        at_risk = sum(other >= t for other in time)
        died = [e for other, e in zip(time, event, strict=True) if other == t and e]
        total += survival * Fraction(died.count(cause), at_risk)
        survival *= 1 - Fraction(len(died), at_risk)
        steps.append((t, total))
    return steps


def concordance(time, event, risk, entry=None) -> Fraction | None:
    """Of the pairs of whom one is known to have the event first, those with the higher risk.

    entry : at t there are those with entry < t.
    """
    entry = [-math.inf] * len(time) if entry is None else entry
    good = pairs = Fraction(0)
    for t, e, r in zip(time, event, risk, strict=True):
        for u, f, s, since in zip(time, event, risk, entry, strict=True):
            if e and since < t and (t < u or (t == u and not f)):
                pairs += 1
                good += 1 if r > s else Fraction(r == s, 2)
    return good / pairs if pairs else None


def auc(y, risk, weight) -> Fraction | None:
    """Weighted share of pairs, one with y = 1 and one with 0, in which the former has more risk."""
    good = pairs = Fraction(0)
    for y_1, r_1, w_1 in zip(y, risk, weight, strict=True):
        for y_0, r_0, w_0 in zip(y, risk, weight, strict=True):
            if y_1 == 1 and y_0 == 0:
                pairs += w_1 * w_0
                good += w_1 * w_0 * (1 if r_1 > r_0 else Fraction(r_1 == r_0, 2))
    return good / pairs if pairs else None


def expected(t, people, rate) -> float:
    """Mean of exp(-H), H the rates of each year of age and calendar year times the time in it.

    people : (age, sex, year) at inclusion; rate(age, sex, year) of whole years
    """
    alive = 0.0
    for age, sex, year in people:
        ends = {0.0, float(t)}
        for begin in (age, year):
            ends |= {math.ceil(begin) - begin + n for n in range(math.ceil(t) + 1)}
        ends = sorted(end for end in ends if 0.0 <= end <= t)
        total = 0.0
        for a, b in pairwise(ends):
            middle = (a + b) / 2
            total += (b - a) * rate(math.floor(age + middle), sex, math.floor(year + middle))
        alive += math.exp(-total)
    return alive / len(people)


def two_sample_logrank(time, event, group) -> Fraction:
    """(O - E)^2 / V of the group that is true, with the hypergeometric variance."""
    difference = variance = Fraction(0)
    rows = list(zip(time, event, group, strict=True))
    for t in sorted({t for t, e, _ in rows if e}):
        n = sum(other >= t for other, _, _ in rows)
        n1 = sum(other >= t and g for other, _, g in rows)
        d = sum(bool(e) and other == t for other, e, _ in rows)
        d1 = sum(bool(e) and other == t and g for other, e, g in rows)
        difference += d1 - Fraction(d * n1, n)
        if n > 1:
            variance += Fraction(d * (n - d) * n1 * (n - n1), n * n * (n - 1))
    return difference * difference / variance if variance else Fraction(0)


def wald(right: float, n: float, z: float) -> tuple[float, float]:
    """p -+ z sqrt(p (1 - p) / n), cut at 0 and 1."""
    p = right / n
    half = z * math.sqrt(p * (1 - p) / n)
    return max(p - half, 0.0), min(p + half, 1.0)


def wilson(right: float, n: float, z: float) -> tuple[float, float]:
    """The p for which |right / n - p| = z sqrt(p (1 - p) / n) (Wilson 1927)."""
    p = right / n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return centre - half, centre + half


def gray(time, event, group, cause=1) -> tuple[Fraction, int]:
    """Gray's chi-squared and its degrees of freedom, sums written out over times and groups.

    The score of group i sums dN - R_i / R dN over times, for R_i = Y_i (1 - F_i) / S_i; its
    covariance sums what an event of the cause, and of another one, in each group r at each time
    moves the scores, now (a) and at all later times, times the variance of that event.
    """
    rows, groups = list(zip(time, event, group, strict=True)), sorted(set(group))
    S, F, pooled = dict.fromkeys(groups, Fraction(1)), dict.fromkeys(groups, Fraction(0)), 0
    score, moved, moments = dict.fromkeys(groups, Fraction(0)), [], []
    for t in sorted({t for t, e, _ in rows if e}):
        Y = {k: sum(u >= t and g == k for u, _, g in rows) for k in groups}
        own = {k: sum(u == t and g == k and e == cause for u, e, g in rows) for k in groups}
        any_ = {k: sum(u == t and g == k and e != 0 for u, e, g in rows) for k in groups}
        there = [k for k in groups if Y[k]]
        h = {k: Y[k] / S[k] if Y[k] else Fraction(0) for k in groups}
        R, total, d = {k: h[k] * (1 - F[k]) for k in groups}, sum(h.values()), sum(own.values())
        for k in groups:
            score[k] += own[k] - (R[k] * d / sum(R.values()) if d else 0)
        step, before = d / total, pooled
        pooled = min(pooled + step, Fraction(1))
        hazard = (pooled - before) / (1 - before) if before < 1 else Fraction(0)
        a = {(i, r): h[i] * ((i == r) - h[r] / total) for i in groups for r in groups}
        for r in there:
            S_before, others = S[r], any_[r] - own[r]
            F[r] += S_before * Fraction(own[r], Y[r])
            S[r] *= 1 - Fraction(any_[r], Y[r])
            ratio = (1 - pooled) / S[r] if S[r] else Fraction(0)
            ties = max(1 - (d - 1) / (total * S_before - 1), 0) if d > 1 else 1
            moments.append((len(moved), r, 1, 1 - ratio, step / h[r] * ties))
            ties = 1 - Fraction(others - 1, Y[r] - 1) if others > 1 else 1
            moments.append((len(moved), r, 0, -ratio, others / h[r] ** 2 * ties))
        moved.append((a, hazard))
    covariance = {(i, j): Fraction(0) for i in groups for j in groups}
    for place, r, now, later, variance in moments:
        moves = {
            i: now * moved[place][0][i, r] + later * sum(a[i, r] * g for a, g in moved[place + 1 :])
            for i in groups
        }
        for i, j in covariance:
            covariance[i, j] += moves[i] * moves[j] * variance
    return quadratic_form(score, covariance)


def quadratic_form(score, covariance) -> tuple[Fraction, int]:
    """z' V^-1 z by elimination, without what follows from other entries, and the rank of V."""
    z, V, total, rank = dict(score), dict(covariance), Fraction(0), 0
    for i in z:
        if not V[i, i]:
            continue
        total, rank = total + z[i] ** 2 / V[i, i], rank + 1
        column = {j: V[j, i] / V[i, i] for j in z}
        pivot = {j: V[i, j] for j in z}
        z_i = z[i]
        for j in z:
            z[j] -= column[j] * z_i
            for k in z:
                V[j, k] -= column[j] * pivot[k]
    return total, rank


def efron_likelihood(x, time, died, beta) -> float:
    """Logarithm of the partial likelihood of one covariate, ties by Efron (1977)."""
    total, share = 0.0, [math.exp(beta * value) for value in x]
    for t in sorted({t for t, e in zip(time, died, strict=True) if e}):
        dying = [i for i, u in enumerate(time) if u == t and died[i]]
        at_risk = sum(share[i] for i, u in enumerate(time) if u >= t)
        gone = sum(share[i] for i in dying)
        for k, i in enumerate(dying):
            total += beta * x[i] - math.log(at_risk - k / len(dying) * gone)
    return total


def efron_moments(rows, time, died, beta):
    """(time, own row, mean, covariance) of each event, over those at risk, ties by Efron (1977)."""
    p = range(len(beta))
    share = [math.exp(sum(b * value for b, value in zip(beta, row, strict=True))) for row in rows]
    for t in sorted({t for t, e in zip(time, died, strict=True) if e}):
        dying = [i for i, u in enumerate(time) if u == t and died[i]]
        for k, own in enumerate(dying):
            part = {i: 1 - k / len(dying) * (i in dying) for i, u in enumerate(time) if u >= t}
            total = sum(part[i] * share[i] for i in part)
            chance = {i: part[i] * share[i] / total for i in part}
            mean = [sum(q * rows[i][a] for i, q in chance.items()) for a in p]
            apart = {i: [rows[i][a] - mean[a] for a in p] for i in chance}
            V = [
                [sum(q * apart[i][a] * apart[i][b] for i, q in chance.items()) for b in p]
                for a in p
            ]
            yield t, rows[own], mean, V


def proportional(rows, time, died, column) -> float:
    """Chi-squared of one more covariate g(t) x, x one column and g the rank of time, by its score.

    Grambsch and Therneau (1994): (beta, theta) at theta = 0 and the beta of the largest likelihood.
    """
    p = len(rows[0])
    beta = [0.0] * p
    for _ in range(30):  # Newton's method
        events = list(efron_moments(rows, time, died, beta))
        score = [sum(x[a] - mean[a] for _, x, mean, _ in events) for a in range(p)]
        information = sum(np.array(V) for _, _, _, V in events)
        beta = [b + step for b, step in zip(beta, np.linalg.solve(information, score), strict=True)]
    g = {t: sum(u < t for u in time) + (sum(u == t for u in time) + 1) / 2 for t in time}
    score = {a: 0.0 for a in range(p + 1)}
    information = {(a, b): 0.0 for a in score for b in score}
    # Entry p is theta: its covariate is g x.
    of, times = [*range(p), column], [0] * p + [1]
    for t, x, mean, V in efron_moments(rows, time, died, beta):
        for a in score:
            score[a] += g[t] ** times[a] * (x[of[a]] - mean[of[a]])
            for b in score:
                information[a, b] += g[t] ** (times[a] + times[b]) * V[of[a]][of[b]]
    return float(quadratic_form(score, information)[0])


def optimism(errors) -> tuple[float, float]:
    """Shift and spread of the error of groups by the .632 rule, in standard errors of the group.

    Each of `errors`: against those left out, the noise of those, against all patients.
    """
    weights = [1.0 / (1.0 + noise**2) for _, noise, _ in errors]
    total = sum(weights)
    mean = sum(w * e[0] for w, e in zip(weights, errors, strict=True)) / total
    left = sum(w * ((e[0] - mean) ** 2 - e[1] ** 2) for w, e in zip(weights, errors, strict=True))
    within = [e[2] for e in errors]
    middle = sum(within) / len(within)
    apparent = sum((e - middle) ** 2 for e in within) / len(within)
    return 0.632 * mean, math.sqrt(0.632 * max(left / total, 1.0) + 0.368 * apparent)


def plus_rule(apparent: float, outside: float) -> float:
    """.632+ of a concordance (Efron and Tibshirani 1997, with chance .5)."""
    outside = max(outside, 0.5)
    if outside >= apparent:
        return outside
    overfit = (apparent - outside) / (apparent - 0.5)
    weight = 0.632 / (1 - 0.368 * overfit)
    return (1 - weight) * apparent + weight * outside


def sandwich(x, time, died, weights, beta, entry=None) -> tuple[float, float]:
    """Slope of the weighted likelihood of one covariate, and the sandwich variance of beta.

    Ties by Efron (1977), the events of one time with the mean of their weights. What patient i adds
    to the slope: of the own event x less the means, and at each term of an event at which i is at
    risk, in part if i dies then, -(x - mean) times the expected share (Lin and Wei 1989).
    """
    n = len(x)
    entry = [-math.inf] * n if entry is None else entry
    share = [math.exp(beta * value) for value in x]
    own, slope, information = [0.0] * n, 0.0, 0.0
    for t in sorted({t for t, e in zip(time, died, strict=True) if e}):
        at_risk = [i for i in range(n) if entry[i] < t <= time[i]]
        dying = [i for i in at_risk if died[i] and time[i] == t]
        each = sum(weights[i] for i in dying) / len(dying)
        for k in range(len(dying)):
            part = {i: 1 - k / len(dying) * (i in dying) for i in at_risk}
            size = {i: part[i] * weights[i] * share[i] for i in at_risk}
            total = sum(size.values())
            mean = sum(size[i] * x[i] for i in at_risk) / total
            information += each * sum(size[i] * (x[i] - mean) ** 2 for i in at_risk) / total
            for i in at_risk:
                own[i] += (i in dying) * (x[i] - mean) / len(dying)
                own[i] -= (x[i] - mean) * part[i] * share[i] * each / total
            slope += sum(weights[i] * (x[i] - mean) for i in dying) / len(dying)
    return slope, sum((w * u) ** 2 for w, u in zip(weights, own, strict=True)) / information**2


def entered(time, event, inside, entry, weights=None) -> dict[str, list]:
    """Curve of all events, incidence of cause 1 and log-rank, at risk those with entry < t <= time.

    weights : of the patients, for derivatives; without them in fractions.
    """
    size = [Fraction(1)] * len(time) if weights is None else list(map(float, weights))
    rows = list(zip(time, event, inside, entry, size, strict=True))
    survival, total, difference, variance = 1, 0, 0, 0
    found = {"when": [], "survival": [], "incidence": []}
    for t in sorted({t for t, e, *_ in rows if e}):
        at_risk = [row for row in rows if row[3] < t <= row[0]]
        n, n_1 = (sum(w for *_, g, _, w in at_risk if g or not own) for own in (False, True))
        died = sum(w for u, e, *_, w in at_risk if u == t and e)
        own = [row for row in at_risk if row[0] == t and row[1] == 1]
        d, d_1 = (sum(w for *_, g, _, w in own if g or not only) for only in (False, True))
        total += survival * d / n
        survival *= 1 - died / n
        difference += d_1 - d * n_1 / n
        if n > 1:
            variance += d * (n - d) * n_1 * (n - n_1) / (n * n * (n - 1))
        found["when"].append(t)
        found["survival"].append(survival)
        found["incidence"].append(total)
    return found | {"logrank": difference * difference / variance if variance else 0}


def reverse_kaplan_meier(time, event, horizon, entry=None) -> Fraction:
    """Share that could be followed to a horizon: the product over the ends of follow-up before it.

    At risk of an end at t are those under observation who have no event by t (Schemper and Smith
    1996; events of a time come before the ends).
    """
    entry, share = [-1.0] * len(time) if entry is None else entry, Fraction(1)
    for t in sorted({u for u, e in zip(time, event, strict=True) if not e and u < horizon}):
        at_risk = [i for i in range(len(time)) if entry[i] < t <= time[i]]
        at_risk = [i for i in at_risk if time[i] > t or not event[i]]
        ended = sum(time[i] == t for i in at_risk)
        share *= 1 - Fraction(int(ended), len(at_risk))
    return share
