"""
EIG: what is known and what is guessed
======================================

Accuracy by the share of values that are missing in training, of C4.5 and of EIG. Nothing is missing
in the test part. Means of ten draws with their standard errors.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from hedgerow import C45Classifier, EIGClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
shares = [0.0, 0.2, 0.4, 0.6]
models = {"C4.5": C45Classifier(prune=False), "EIG": EIGClassifier(prune=False)}
scores = {name: np.zeros((10, len(shares))) for name in models}
for draw in range(10):
    rng = np.random.default_rng(draw)
    part = rng.permutation(len(X))
    learn, test = part[:120], part[120:]
    chance = rng.random(X.shape)
    for column, share in enumerate(shares):
        gaps = X.mask(chance < share).iloc[learn]
        for name, model in models.items():
            fitted = model.fit(gaps, y.iloc[learn])
            scores[name][draw, column] = fitted.score(X.iloc[test], y.iloc[test])

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
for (name, values), line in zip(scores.items(), ("k--", "o-"), strict=True):
    axes.errorbar(
        shares, values.mean(0), values.std(0, ddof=1) / 10**0.5, fmt=line, capsize=3, label=name
    )
axes.set_xlabel("Share of values missing in training")
axes.set_ylabel("Accuracy")
axes.legend()

# %%
for name, values in scores.items():
    print(name, values.mean(0).round(3))
