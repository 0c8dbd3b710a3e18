"""
Why this answer, and how sure it is
===================================

A wine whose flavanoids and ash lie near the thresholds: the leaves that it may belong to when both
are measured with an error, and what other values would do. Below, how often an answer would change
if all wines were measured again, by how large the error is.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from hedgerow import C45Classifier

X, y = load_wine(return_X_y=True, as_frame=True)
names = load_wine().target_names[y]
model = C45Classifier(max_depth=3).fit(X, names)
said = model.explain(X.iloc[61], error={"flavanoids": 0.2, "ash": 0.1})
figure = said.plot()

# %%
print(said)

# %%
shares = [0.02, 0.05, 0.1, 0.2]
figure, ax = plt.subplots(figsize=(5.0, 3.0), layout="constrained")
for number, share in enumerate(shares):
    cases = model.explain(X, error=share * X.std().to_numpy())
    changes = np.sort([case.changes for case in cases])[::-1]
    label = f"{share:g}"
    ax.plot(np.arange(1, len(X) + 1), changes, label=label, ls=["-", "--", "-.", ":"][number])
ax.set(xlabel="Wines, the most doubtful first", ylabel="Probability of another answer")
ax.set_xscale("log")
ax.legend(loc="upper right", fontsize="small", title="Error, in sd", title_fontsize="small")
