"""
C4.5: the base learner
======================

The tree of C4.5 on 178 wines: a box per test, a bar of classes per leaf.
"""

from sklearn.datasets import load_wine

from hedgerow import C45Classifier

wine = load_wine(as_frame=True)
X, y = wine.data, wine.target_names[wine.target]

tree = C45Classifier(min_samples_leaf=10).fit(X, y).tree_
tree.plot()

# %%
# The same tree as rules. `n` is the number of wines that end in a leaf.

print(tree.to_text())
