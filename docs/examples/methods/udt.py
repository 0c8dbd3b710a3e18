"""
UDT: values that are distributions
==================================

Accuracy on wines of which every value is a distribution over a share of its variable's range, by
that share. A width of 0 is C4.5.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

from hedgerow import UncertainTreeClassifier

X, y = load_wine(return_X_y=True)
widths = [0, 0.05, 0.1, 0.2, 0.3, 0.4]
scores = [cross_val_score(UncertainTreeClassifier(width=w), X, y).mean() for w in widths]

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
axes.plot(widths, scores, "o-")
axes.set_xlabel("Width of a value's distribution, share of the range")
axes.set_ylabel("Accuracy, five folds")

# %%
for width, score in zip(widths, scores, strict=True):
    print(f"{width:4} {score:.3f}")
