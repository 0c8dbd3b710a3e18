"""Properties of the data sets of thesis chapter 4, for its table 4.7 (4.5.2).

Do variables interact: macro F1 of naive Bayes against the mean of six classifiers that can use
interactions. Do few variables say most: the importance of each variable in a random forest.

The paper names the classifiers and no settings. Here all are compared in one stratified cross
validation of the whole set, which depends less on chance than one split would; their settings are
scikit-learn's defaults. Missing values become the training fold's median or commonest category,
categories become dummies, and numeric variables are standardised, which four of the six need.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, folds, rng
from hedgerow.evaluation.metrics import macro_f1
from hedgerow_study.experiments.frames import random_state
from hedgerow_study.experiments.search.plan import EXPERIMENT, SearchPlan
from hedgerow_study.experiments.step import step

NAIVE_BAYES = "nb"
#: The more expressive classifiers of thesis 4.5.2.
CLASSIFIERS = ("knn", "svm_linear", "svm_rbf", "rf", "adaboost", "logistic")


@step("n_forest_trees", "property_folds", "seed")
def properties(table: TidyTable, plan: SearchPlan) -> pd.DataFrame:
    """Properties of one data set.

    Returns: dataset, metric, value. Metrics: n_instances, n_variables; f1_<classifier> for naive
    Bayes (nb) and each of `CLASSIFIERS`, and f1_mean of the latter (macro F1, per cent, mean over
    folds); n_above_half_of_largest and n_above_median (variables by importance).
    """
    from sklearn.base import clone

    state = random_state(plan.seed, EXPERIMENT, table.name, None, "properties")
    learners = _learners(table, state)
    scores = {name: [] for name in learners}
    generator = rng(plan.seed, EXPERIMENT, table.name, None, "property_folds")
    fold = folds(table.y, plan.property_folds, generator)
    n_classes = len(table.classes)
    for k in range(fold.max() + 1):
        train, test = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        for name, learner in learners.items():
            fitted = clone(learner).fit(table.X.iloc[train], table.y[train])
            predicted = np.eye(n_classes)[fitted.predict(table.X.iloc[test])]
            scores[name].append(100.0 * macro_f1(table.y[test], predicted))
    values = {"n_instances": float(len(table.y)), "n_variables": float(table.X.shape[1])}
    values |= {f"f1_{name}": float(np.mean(of_folds)) for name, of_folds in scores.items()}
    values["f1_mean"] = float(np.mean([values[f"f1_{name}"] for name in CLASSIFIERS]))
    importance = importances(table, plan.n_forest_trees, state)
    values["n_above_half_of_largest"] = float((importance > importance.max() / 2).sum())
    values["n_above_median"] = float((importance > np.median(importance)).sum())
    frame = pd.DataFrame({"metric": list(values), "value": list(values.values())})
    frame.insert(0, "dataset", table.name)
    return frame.sort_values("metric", ignore_index=True)


def importances(table, n_trees: int, random_state: int) -> np.ndarray:
    """Importance of each variable in a random forest on the whole set.

    Returns: mean decrease of impurity, added up over the dummies of a categorical variable; rounded
    to 9 decimals, so that no count hangs on the last bits of a sum.
    """
    from sklearn.ensemble import RandomForestClassifier

    columns = _columns(table)
    X = columns.fit_transform(table.X)
    forest = RandomForestClassifier(n_trees, random_state=random_state).fit(X, table.y)
    names = list(table.X.columns)
    owner = np.concatenate([np.full(n, names.index(c)) for c, n in _widths(table)])
    total = np.bincount(owner, weights=forest.feature_importances_, minlength=len(names))
    return np.round(total, 9)


def _learners(table, random_state: int) -> dict:
    from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.svm import SVC

    expressive = {
        "knn": KNeighborsClassifier(),
        "svm_linear": SVC(kernel="linear"),
        "svm_rbf": SVC(),
        "rf": RandomForestClassifier(random_state=random_state),
        "adaboost": AdaBoostClassifier(random_state=random_state),
        "logistic": LogisticRegression(max_iter=2000),
    }
    learners = {n: make_pipeline(_columns(table), learner) for n, learner in expressive.items()}
    return {NAIVE_BAYES: _naive_bayes(table), **learners}


def _numeric(table) -> list[str]:
    return [c for c in table.X.columns if table.X[c].dtype != "category"]


def _categorical(table) -> list[str]:
    return [c for c in table.X.columns if table.X[c].dtype == "category"]


def _columns(table):
    """Numeric variables imputed and standardised, then dummies of the categorical ones."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    # A variable without any value in a fold stays, as a constant.
    numeric = SimpleImputer(strategy="median", keep_empty_features=True)
    common = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
    # Such a variable has the imputer's 0, which is no category: all its dummies are 0.
    levels = _levels(table)
    dummies = OneHotEncoder(categories=levels, handle_unknown="ignore", sparse_output=False)
    return ColumnTransformer(
        [
            ("numeric", make_pipeline(numeric, StandardScaler()), _numeric(table)),
            ("categorical", make_pipeline(_as_objects(), common, dummies), _categorical(table)),
        ]
    )


def _as_objects():
    """Categories as plain values, which the imputer takes."""
    from sklearn.preprocessing import FunctionTransformer

    return FunctionTransformer(_to_objects)


def _to_objects(X: pd.DataFrame) -> pd.DataFrame:
    objects = X.astype(object)
    return objects.where(objects.notna(), np.nan)


def _levels(table) -> list[list]:
    return [list(table.X[c].cat.categories) for c in _categorical(table)]


def _widths(table) -> list[tuple[str, int]]:
    """Variables in the order of the transformed columns, with the number of columns of each."""
    widths = [(c, 1) for c in _numeric(table)]
    return widths + [(c, len(v)) for c, v in zip(_categorical(table), _levels(table), strict=True)]


def _naive_bayes(table):
    """Naive Bayes of mixed variables: normal within a class, or frequencies of categories."""
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.impute import SimpleImputer
    from sklearn.naive_bayes import CategoricalNB, GaussianNB

    numeric, categorical = _numeric(table), _categorical(table)
    n_levels = [len(levels) for levels in _levels(table)]

    class MixedNaiveBayes(ClassifierMixin, BaseEstimator):
        """Both models share the class frequencies; variables are independent within a class."""

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            self.median_ = SimpleImputer(strategy="median", keep_empty_features=True)
            self.common_ = SimpleImputer(strategy="most_frequent", keep_empty_features=True)
            if numeric:
                self.gaussian_ = GaussianNB().fit(self.median_.fit_transform(X[numeric]), y)
            if categorical:
                codes = self.common_.fit_transform(_codes(X, categorical)).astype(int)
                self.frequencies_ = CategoricalNB(min_categories=n_levels).fit(codes, y)
            self.log_prior_ = np.log(np.bincount(y)[self.classes_] / len(y))
            return self

        def predict(self, X):
            # The product of both counts the class frequencies twice.
            score = np.zeros((len(X), len(self.classes_)))
            if numeric:
                values = self.median_.transform(X[numeric])
                score += self.gaussian_.predict_joint_log_proba(values) - self.log_prior_
            if categorical:
                codes = self.common_.transform(_codes(X, categorical)).astype(int)
                score += self.frequencies_.predict_joint_log_proba(codes) - self.log_prior_
            return self.classes_[np.argmax(score + self.log_prior_, axis=1)]

    return MixedNaiveBayes()


def _codes(X: pd.DataFrame, categorical: list[str]) -> np.ndarray:
    """Codes of categories, NaN where a value is missing."""
    codes = np.column_stack([X[c].cat.codes for c in categorical]).astype(float)
    return np.where(codes < 0, np.nan, codes)
