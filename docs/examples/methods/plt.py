"""
PLT: thresholds that are ranges
===============================

Class probabilities of an iris by the length of its petals, all else at its median: those of C4.5
jump at the threshold, those of PLT pass over within a range around it.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from hedgerow import C45Classifier, ProbabilisticThresholdClassifier

X, y = load_iris(return_X_y=True, as_frame=True)
hard = C45Classifier(prune=False, max_depth=2, candidates="midpoints").fit(X, y)
soft = ProbabilisticThresholdClassifier(prune=False, max_depth=2, candidates="midpoints").fit(X, y)

tree = soft.tree_
name = X.columns[tree.feature[0]]
values = np.linspace(X[name].min(), X[name].max(), 400)
rows = X.median().to_frame().T.loc[[0] * len(values)].assign(**{name: values})

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
for model, label, line in ((hard, "C4.5", "--"), (soft, "PLT", "-")):
    probabilities = model.predict_proba(rows)
    for k, color in enumerate(("C0", "C1")):
        axes.plot(values, probabilities[:, k], line, color=color, label=f"{label}, class {k}")
axes.set_xlabel(f"{name}, all else at its median")
axes.set_ylabel("Class probability")
axes.legend()

# %%
# The rules of the hard tree, whose thresholds PLT softens:

print(hard.tree_.to_text())
