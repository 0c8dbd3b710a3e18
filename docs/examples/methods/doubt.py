"""
Leaves of doubtful classes
==========================

Log loss on test rows by the share of training rows of which two classes are plausible alike, the
true one and another. C4.5 gets one of the two, drawn at random.
`UncertainDataTreeClassifier` gets both, and its leaves are means of shares or made from
plausibilities. Means of ten draws with their standard errors.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss

from hedgerow import C45Classifier, Uncertain, UncertainDataTreeClassifier

X, y = load_wine(return_X_y=True)
shares = [0.0, 0.2, 0.4, 0.6, 0.8]
names = ["one drawn, C4.5", "fractions", "plausibility"]
scores = {name: np.zeros((10, len(shares))) for name in names}
for draw in range(10):
    rng = np.random.default_rng(draw)
    part = rng.permutation(len(X))
    learn, test = part[:120], part[120:]
    chance, other = rng.random(len(X)), (y + rng.integers(1, 3, len(X))) % 3
    lot = np.where(rng.random(len(X)) < 0.5, y, other)
    for column, share in enumerate(shares):
        doubtful = chance < share
        plausible = np.eye(3)[y]
        plausible[doubtful, other[doubtful]] = 1.0
        data = Uncertain(X, y_plausibility=plausible, classes=[0, 1, 2]).take(learn)
        labels = np.where(doubtful, lot, y)[learn]
        models = {
            "one drawn, C4.5": C45Classifier(smoothing=True).fit(X[learn], labels),
            "fractions": UncertainDataTreeClassifier(leaves="fractions", smoothing=True).fit(data),
            "plausibility": UncertainDataTreeClassifier(smoothing=True).fit(data),
        }
        for name, model in models.items():
            scores[name][draw, column] = log_loss(y[test], model.predict_proba(X[test]))

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
for (name, values), line in zip(scores.items(), ("k--", "s:", "o-"), strict=True):
    axes.errorbar(
        shares, values.mean(0), values.std(0, ddof=1) / 10**0.5, fmt=line, capsize=3, label=name
    )
axes.set_xlabel("Share of rows with two plausible classes")
axes.set_ylabel("Log loss")
axes.legend()

# %%
for name, values in scores.items():
    print(name, values.mean(0).round(3))
