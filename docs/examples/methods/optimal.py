"""
The best tree up to a depth
===========================

What a proof is worth: errors of C4.5, and of the best tree of the same depth, on the data that both
have seen; how far the search had come when it was stopped after so many tests; and what the best
tree costs once values are measured with an error.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_wine

from hedgerow import C45Classifier, OptimalTreeClassifier

X, y = load_wine(return_X_y=True)
depths = [1, 2, 3]
greedy = [C45Classifier(prune=False, max_depth=d).fit(X, y) for d in depths]
best = [OptimalTreeClassifier(d).fit(X, y) for d in depths]

figure, (left, middle, right) = plt.subplots(1, 3, figsize=(9.0, 3.0), layout="constrained")
left.plot(depths, [(model.predict(X) != y).sum() for model in greedy], "s--", label="C4.5")
left.plot(depths, [len(y) * model.objective_ for model in best], "o-", label="best")
left.set(xticks=depths, xlabel="Depth", ylabel="Errors of 178", title="Wine")
left.legend()

X2, y2 = load_breast_cancer(return_X_y=True)
nodes = [10, 30, 100, 300, 1000, 3000, 10_000]
stopped = [OptimalTreeClassifier(3, max_nodes=n).fit(X2, y2) for n in nodes]
middle.semilogx(nodes, [len(y2) * model.objective_ for model in stopped], "o-", label="found")
middle.semilogx(nodes, [len(y2) * model.bound_ for model in stopped], "s--", label="no tree below")
middle.set(xlabel="Tests looked at", ylabel="Errors of 569", title="Breast cancer, depth 3")
middle.legend()

sds = [0.0, 0.1, 0.2, 0.3, 0.4, 0.5]
known = [OptimalTreeClassifier(2, error=sd * X.std(axis=0)).fit(X, y) for sd in sds]
right.plot(sds, [len(y) * model.objective_ for model in known], "o-")
right.set(xlabel="Error of each value, in sd", ylabel="Expected errors of 178")
right.set_title("Wine, depth 2")

# %%
for depth, one, other in zip(depths, greedy, best, strict=True):
    errors = (one.predict(X) != y).sum(), len(y) * other.objective_
    print("depth {}: C4.5 {}, best {:.0f}".format(depth, *errors))
