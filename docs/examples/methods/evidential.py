"""
E2M: classes in doubt
=====================

Accuracy of trees that learnt from irises of which a share got classes at random. C4.5 trusts all
of them; E2M knows which are uncertain. Means of ten random splits with their standard errors.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold

from hedgerow import C45Classifier, EvidentialData, EvidentialTreeClassifier

X, y = load_iris(return_X_y=True, as_frame=True)
shares = [0.0, 0.2, 0.4, 0.6, 0.8]
scores = {"C4.5": np.zeros((10, len(shares))), "E2M": np.zeros((10, len(shares)))}
for draw in range(10):
    rng = np.random.default_rng(draw)
    part = rng.permutation(len(X))
    learn, test = part[:100], part[100:]
    chance, guess = rng.random(100), rng.integers(0, 3, 100)
    for column, share in enumerate(shares):
        doubtful = chance < share
        labels = np.where(doubtful, guess, y.iloc[learn])
        doubts = {"gamma_y": np.where(doubtful, 0.9, 0.0)}
        e2m = EvidentialTreeClassifier(max_leaves=4, prune=False)
        models = {
            "C4.5": C45Classifier().fit(X.iloc[learn], labels),
            "E2M": e2m.fit(X.iloc[learn], labels, **doubts),
        }
        for name, model in models.items():
            right = model.predict(X.iloc[test]) == y.iloc[test]
            scores[name][draw, column] = right.mean()

figure, axes = plt.subplots(figsize=(6.5, 3.0), layout="constrained")
for (name, values), line in zip(scores.items(), ("k--", "o-"), strict=True):
    error = values.std(0, ddof=1) / 10**0.5
    axes.errorbar(shares, values.mean(0), error, fmt=line, capsize=3, label=name)
axes.set_xlabel("Share of the training part with a class at random")
axes.set_ylabel("Accuracy")
axes.legend()

# %%
for name, values in scores.items():
    print(name, values.mean(0).round(3))

# %%
# Evidential data go through a grid as a table does. Each fold is judged by its own classes, in
# doubt as they are: the score is 1 less the evidential error rate. These are the rows of the last
# division, of which four in five have a class at random.
data = EvidentialData.from_gamma(X.iloc[learn], labels, **doubts)
grid = {"max_leaves": [1, 2, 3, 4, 6]}
search = GridSearchCV(e2m, grid, cv=KFold(5, shuffle=True, random_state=0)).fit(data)
print(search.best_params_, search.cv_results_["mean_test_score"].round(3))
print("accuracy", search.score(X.iloc[test], y.iloc[test]))
