"""
UCT-DT: trees by Monte Carlo tree search
========================================

The states of a search, each a tree, by their tests and by their F1 on the validation part; the best
so far is a line.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from hedgerow import UCTTreeClassifier

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
search = UCTTreeClassifier(n_iterations=5000, random_state=0).fit(X, y)
states = search.search_tree_

figure, axes = plt.subplots(figsize=(6.5, 3.2), layout="constrained")
axes.plot(states["validation_f1"].to_numpy(), ".", markersize=3, alpha=0.4, label="a state")
axes.plot(states["validation_f1"].cummax().to_numpy(), "k-", label="the best so far")
axes.set_xlabel("State, in the order of the search")
axes.set_ylabel("Macro F1 on the validation part")
axes.legend()

# %%
# The best tree, and the most visited states:

print(search.tree_.to_text())
print(states.nlargest(5, "n_visits")[["n_visits", "depth", "n_leaves", "validation_f1"]])
