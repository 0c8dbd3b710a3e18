"""
Soft trees: errors of measurement
=================================

The share of an instance that goes left at the first test, by its measured value: a step for C4.5, a
curve for the soft tree, wider as the error grows.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score

from hedgerow import C45Classifier, SoftTreeClassifier

X, y = load_wine(return_X_y=True, as_frame=True)
tree = C45Classifier(max_depth=2).fit(X, y).tree_
root = X.columns[tree.feature[0]]
values = np.linspace(X[root].min(), X[root].max(), 400)
rows = X.median().to_frame().T.loc[[0] * len(values)].assign(**{root: values})


def share_left(model):
    """Share of each row that goes left at the root."""
    own = model.tree_
    return own.shares(rows.to_numpy())[:, [own.children_left[0]]].toarray().ravel()


figure, axes = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
axes.plot(values, share_left(C45Classifier(max_depth=2).fit(X, y)), "k--", label="C4.5")
for error in ("5 %", "10 %", "20 %"):
    soft = SoftTreeClassifier(error=error, max_depth=2).fit(X, y)
    axes.plot(values, share_left(soft), label=f"soft, error of {error}")
axes.set_xlabel(f"{root} (measured)")
axes.set_ylabel("Share that goes left")
axes.legend()

# %%
# The learner gets the error as a share of each value. Accuracy in five-fold cross validation:

for model in (C45Classifier(), SoftTreeClassifier(error="10 %")):
    print(f"{type(model).__name__:20} {cross_val_score(model, X, y).mean():.3f}")
