"""
ConfDTree: a tree that doubts itself
====================================

Probability of the true class before and after the doubts, for each wine of a test part that a node
doubted: above the line the doubt was of use.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from hedgerow import C45Classifier, ConfDTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
model = ConfDTreeClassifier(C45Classifier(max_depth=2)).fit(X[::2], y[::2])
new, true = X[1::2], y[1::2].to_numpy()
rows = np.arange(len(new))
before = model.estimator_.predict_proba(new)[rows, true]
after = model.predict_proba(new)[rows, true]
doubted = before != after

figure, axes = plt.subplots(figsize=(4.2, 4.0), layout="constrained")
axes.plot([0, 1], [0, 1], "k:", linewidth=1)
axes.plot(before[doubted], after[doubted], "o", alpha=0.6)
axes.set_xlabel("Probability of the true class, tree alone")
axes.set_ylabel("With doubts")
axes.set_aspect("equal")

# %%
# What was doubted of the wine whose probability rose most:

print(model.revisions(new.iloc[int(np.argmax(after - before))]))
