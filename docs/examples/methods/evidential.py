"""
E2M: classes in doubt
=====================

Accuracy of trees that learnt from wrong classes, a third of which were drawn anew. C4.5 believes
them; E2M is told how far to doubt them. A little doubt helps here, too much harms.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from hedgerow import C45Classifier, EvidentialData, EvidentialTreeClassifier

X, y = load_iris(return_X_y=True, as_frame=True)
doubts = [0.0, 0.05, 0.1, 0.2, 0.4, 0.6]
scores = {"C4.5": [], "E2M": []}
rng = np.random.default_rng(0)
for _ in range(10):
    part = rng.permutation(len(X))
    learn, test = part[:100], part[100:]
    wrong = y.iloc[learn].where(rng.random(100) > 1 / 3, rng.integers(0, 3, 100))
    table = X.iloc[learn]
    c45 = C45Classifier().fit(table, wrong).score(X.iloc[test], y.iloc[test])
    scores["C4.5"].append([c45] * len(doubts))
    own = []
    for doubt in doubts:
        data = EvidentialData.from_gamma(table, wrong, gamma_X=0.0, gamma_y=doubt)
        tree = EvidentialTreeClassifier(max_leaves=4, prune=False).fit(data)
        own.append(np.mean(tree.predict(X.iloc[test]) == y.iloc[test]))
    scores["E2M"].append(own)

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
for (name, values), line in zip(scores.items(), ("k--", "o-"), strict=True):
    axes.plot(doubts, np.mean(values, axis=0), line, label=name)
axes.set_xlabel("Doubt that E2M is told (gamma of the class)")
axes.set_ylabel("Accuracy, mean of ten divisions")
axes.legend()

# %%
for name, values in scores.items():
    print(name, np.mean(values, axis=0).round(3))
