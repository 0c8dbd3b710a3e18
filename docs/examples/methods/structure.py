"""
Edit distance: a forest on one page
===================================

Fifty trees of one search, nearly as good as each other: a map of their distances, the tests that
each group prefers, and the tree in the middle of each.
"""

from sklearn.datasets import load_breast_cancer

from hedgerow import TreeEditDistance, UCTTreeClassifier
from hedgerow.drawing import plot_forest

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
search = UCTTreeClassifier(n_iterations=2000, tree_pruning=False, random_state=0).fit(X, y)
trees = search.forest(50)
page = plot_forest(trees, X, y)

# %%
# Which tests differ between two of them, and what each change costs:

metric = TreeEditDistance("B2").fit(X, y)
script = metric.edit_script(trees[3], trees[40])
print(script[["operation", "test_1", "test_2", "cost"]].to_string())
