"""
From a table to a tree that knows its doubts
============================================

One table, 178 wines of three growers with thirteen measurements each, and the questions that the
package answers about it. Everything below runs when this page is built.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score, train_test_split

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    SoftTreeClassifier,
    TreeEditDistance,
    UCTTreeClassifier,
)

X, y = load_wine(return_X_y=True, as_frame=True)
X_learn, X_test, y_learn, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# A tree
# ------
# All estimators follow scikit-learn. `tree_` is the tree itself. The same functions draw it,
# write it as rules or JSON, compare and explain it, whichever learner grew it.

c45 = C45Classifier().fit(X_learn, y_learn)
c45.tree_.plot()
print(f"{c45.get_n_leaves()} leaves, accuracy {c45.score(X_test, y_test):.3f}")

# %%
# Measurements have errors
# ------------------------
# Say that every measurement has an error of 10 %, a standard deviation. The soft tree divides a
# wine that lies near a threshold between both sides, in training and in prediction.

soft = SoftTreeClassifier(error="10 %").fit(X_learn, y_learn)
for model in (c45, soft):
    print(f"{type(model).__name__:20} {cross_val_score(model, X, y).mean():.3f}")

# %%
# What does that do to one wine? Probabilities of the three growers, hard and soft, for the wine of
# the test part on which the two trees differ most:

hard_says, soft_says = c45.predict_proba(X_test), soft.predict_proba(X_test)
wine = int(np.abs(hard_says - soft_says).sum(axis=1).argmax())
print("hard", hard_says[wine].round(3))
print("soft", soft_says[wine].round(3))
print("true", y_test.iloc[wine])

# %%
# The drawing shows where the probabilities come from: the way of this wine through the soft tree,
# each branch as wide as its share of the wine, among the values of the wines learnt from. Shaded is
# how far a measurement may be off.

soft.tree_.plot(path=X_test.iloc[wine], path_only=True, X=X_learn, y=y_learn)

# %%
# Values are unusual
# ------------------
# ConfDTree keeps the tree and doubts it: is this value usual in the class that the branch below
# assigns? `explain` tells what each node did.

doubting = ConfDTreeClassifier(C45Classifier(max_depth=2)).fit(X_learn, y_learn)
plain = doubting.estimator_.predict_proba(X_test)
moved = int(np.abs(plain - doubting.predict_proba(X_test)).sum(axis=1).argmax())
print(doubting.revisions(X_test.iloc[moved]))

# %%
# Values are missing
# ------------------
# NaN is a missing value, for every estimator. EIG also asks what a test would gain among guesses of
# the missing values, and trusts them as far as the variable is known.

gaps = X_learn.mask(np.random.default_rng(0).random(X_learn.shape) < 0.5)
for model in (C45Classifier(), EIGClassifier()):
    print(f"{type(model).__name__:20} {model.fit(gaps, y_learn).score(X_test, y_test):.3f}")

# %%
# One draw of gaps says little; :doc:`the gallery </docs/gallery/methods/missing>` takes the mean of
# ten.
#
# Many trees are nearly as good
# -----------------------------
# A search looks at many trees, and the edit distance says how two of them differ.

search = UCTTreeClassifier(n_iterations=5000, tree_pruning=False, random_state=0)
search.fit(X_learn, y_learn)
trees = search.forest(20)
distance = TreeEditDistance("B2").fit(X_learn, y_learn)
apart = distance.pairwise(trees)
one, other = np.unravel_index(apart.argmax(), apart.shape)
print(f"{len(search.search_tree_)} trees were looked at")
print(distance.edit_script(trees[one], trees[other]).to_string())

# %%
# Take it along
# -------------
# A tree is a file that later versions can read, without the data and without running anything.

text = c45.tree_.to_json()
again = type(c45.tree_).from_json(text)
print(again == c45.tree_, f"{len(text)} characters")
