"""
Survival: leaves as risk groups
===============================

Women with breast cancer in groups by a tree for three years without return of the tumour, with the
curve of each group.
"""

import pandas as pd
from lifelines.datasets import load_gbsg2

from hedgerow.drawing.survival import guideline_page
from hedgerow.survival import leaf_survival, risk_groups

women = load_gbsg2()
X = pd.get_dummies(women.drop(columns=["time", "cens"]), drop_first=True).astype(float)
time, event = women["time"] / 365.25, women["cens"]  # years; 1: the tumour came back, or death
groups = risk_groups(X, time, event, horizon=3.0, random_state=0)

page = guideline_page(
    groups.estimator,
    X,
    time,
    event,
    horizon=3.0,
    title="Return of breast cancer, or death",
    cohort="GBSG 2, 686 women, as it comes with lifelines",
)

# %%
# The same in numbers. The leaves were chosen by the outcome of these women: on others less is left
# of the differences.

print(leaf_survival(groups.estimator, X, time, event)[["n", "events", "median", "hazard_ratio"]])
