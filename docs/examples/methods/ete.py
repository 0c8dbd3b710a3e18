"""
ETE: evolved trees
==================

Leaves and training accuracy of evolved trees by alpha, the penalty of a leaf: a large one leaves
few.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from hedgerow import EvolutionaryTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
penalties = [0.0003, 0.001, 0.01, 0.05, 0.2]
models = [EvolutionaryTreeClassifier(alpha=a, random_state=0).fit(X, y) for a in penalties]

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
axes.semilogx(penalties, [model.get_n_leaves() for model in models], "o-", label="leaves")
axes.set_xlabel("alpha, the penalty of a leaf")
axes.set_ylabel("Leaves")
beside = axes.twinx()
beside.semilogx(penalties, [model.score(X, y) for model in models], "C1s--", label="accuracy")
beside.set_ylabel("Accuracy on the training set")
figure.legend(loc="outside upper center", ncols=2)

# %%
for penalty, model in zip(penalties, models, strict=True):
    print(f"{penalty:7} {model.get_n_leaves():3} leaves, {model.score(X, y):.3f}")
