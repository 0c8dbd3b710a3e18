# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Gates as the core reads them, made once from those of `hedgerow.tree.gates`."""

from functools import partial

import numpy as np

from libc.stdint cimport int64_t

hedgerow_phi_fill()

clip_tolerance = CLIP_TOLERANCE     # for hedgerow.tree.gates


cdef class Gates:
    """The gates of the variables of one table.

    Parameters
    ----------
    gate : NoiseGate, ThresholdGate, CategoryGate, CategoryNoise or None
        None: hard gates everywhere.
    n_variables : int
    exact : bool, default False
        Of a gate with noise models, ask Python for every soft variable, as prediction does;
        otherwise the core works out what it can, ten times faster and the same within rounding.
    """

    def __init__(self, gate, Py_ssize_t n_variables, bint exact=False):
        cdef Py_ssize_t j
        cdef const double[::1] sigma
        self.memory = Arena("for the gates of a tree")
        self.numbers = <Gate*> self.memory.zeros(n_variables + 1, sizeof(Gate))
        self.categories = <Gate*> self.memory.zeros(n_variables + 1, sizeof(Gate))
        self.n_variables = n_variables
        self.gate = gate
        for j in range(n_variables):
            self.numbers[j].kind = STEP
            self.categories[j].kind = SUBSET
        if gate is None:
            return
        if gate.kind == "threshold":
            self.soft = True
            self.bounds = tuple(
                np.ascontiguousarray(b, dtype=np.float64) for b in (gate.lower, gate.upper))
            for j in range(n_variables):
                self.numbers[j].kind = LINEAR
            return
        if gate.kind in ("category", "replacement"):
            for j in gate.variables:
                if 0 <= j < n_variables:
                    self.soft = True
                    self.categories[j].kind = CATEGORY
            return
        sigma = np.ascontiguousarray(gate.sigma, dtype=np.float64)
        models = gate.callables() or {}
        self.models = {}
        for j in range(min(n_variables, sigma.shape[0])):
            if not sigma[j] > 0.0:
                continue
            self.soft = True
            self.numbers[j].sigma = sigma[j]
            self.numbers[j].half_window = gate.half_window
            self.numbers[j].ties_right = gate.ties_right
            self.numbers[j].tie = 0.0 if gate.ties_right else normal_gate(
                0.0, 0.0, sigma[j], gate.half_window)
            if exact and models:
                self.models[j] = partial(gate.share, j)
                self.numbers[j].kind = ASKED
                self.asking = True
                self.conditioned = gate.conditioned
            elif isinstance(models.get(j), tuple):
                read_model(models[j], &self.numbers[j])
            elif j in models:
                self.models[j] = models[j]
                self.numbers[j].kind = ASKED
                self.asking = True
            elif gate.conditioned:
                self.numbers[j].kind = PDF
                self.conditioned = True
            else:
                self.numbers[j].kind = NORMAL

    cdef int check_grows(self) except -1:
        """Refuse gates that need a finished tree: growth and pruning lay no bounds, no tables."""
        cdef Py_ssize_t j
        for j in range(self.n_variables):
            if self.numbers[j].kind == LINEAR or self.categories[j].kind == CATEGORY:
                raise TypeError(
                    f"a {type(self.gate).__name__} divides instances at a finished tree; growth "
                    "and pruning have no such gates")
        return 0

    cdef int ask(self, Py_ssize_t j, double center, const double* x, Py_ssize_t x_step,
                 const int* rows, Py_ssize_t n, double* out) except -1 with gil:
        """Shares of rows of the column `x` at a gate of variable j, asked of Python, into `out`."""
        cdef Py_ssize_t p
        cdef const double[::1] shares
        values = np.empty(n)
        numbers = np.empty(n, dtype=np.int32)
        cdef double[::1] view = values
        cdef int[::1] number = numbers
        for p in range(n):
            view[p] = x[rows[p] * x_step]
            number[p] = rows[p]
        shares = np.ascontiguousarray(self.models[j](center, values, rows=numbers),
                                      dtype=np.float64)
        for p in range(n):
            out[p] = shares[p]
        return 0

    cdef object at_node(self, Py_ssize_t j, const Test* test, column):
        """Shares of a whole column at a gate of a finished tree, asked of Python."""
        if self.conditioned:
            return np.ascontiguousarray(
                self.models[j](test.threshold, column, test.lower, test.upper), dtype=np.float64)
        return np.ascontiguousarray(self.models[j](test.center, column), dtype=np.float64)


cdef void read_model(tuple numbers, Gate* gate):
    """A gate from the numbers of `NoiseGate.callables`."""
    gate.kind = MODEL
    gate.family, gate.relative, gate.loc, gate.scale = numbers[:4]
    gate.sigma, gate.center, gate.half_window = numbers[4:]


def shares_on_grid(tuple numbers, const double[::1] x, const int64_t[::1] first,
                   double origin, double step, Py_ssize_t width):
    """Share left of each value at the grid points around it, as `NoiseGate.share` gives it.

    Parameters
    ----------
    numbers : tuple
        Of `NoiseGate.callables`.
    x : (n,) float64
    first : (n,) int64
        First grid point of each value.
    origin, step : float
        The grid, in the variable's unit.
    width : int
        Number of points of each value.

    Returns
    -------
    (n, width) float64
    """
    cdef Gate model
    cdef Py_ssize_t i, k
    out = np.empty((x.shape[0], width))
    cdef double[:, ::1] share = out
    read_model(numbers, &model)
    with nogil:
        for i in range(x.shape[0]):
            for k in range(width):
                share[i, k] = model_gate(&model, x[i], origin + (first[i] + k) * step)
    return out


def share_of(Gates gates, Py_ssize_t j, x, *, double threshold=np.nan, center=None,
             double lower=-np.inf, double upper=np.inf, double missing=np.nan,
             categories_left=None):
    """What one test of variable j sends left of each value: `share_left`, for tests.

    Parameters
    ----------
    gates : Gates
    j : int
    x : (n,) float64
        NaN is missing.
    threshold, center, lower, upper : float
        Of the test; see `Test` in `_gates.pxd`.  `center` is the threshold by default.
    missing : float
        `share_left` of the test.
    categories_left : (n_categories,) uint8, optional
        Of a test on categories.

    Returns
    -------
    (n,) float64
    """
    values = np.ascontiguousarray(x, dtype=np.float64)
    rows = np.arange(values.shape[0], dtype=np.int32)
    asked = np.empty(values.shape[0] + 1)
    out = np.empty(values.shape[0])
    flags = np.ascontiguousarray([] if categories_left is None else categories_left, np.uint8)
    table = np.empty(0)
    cdef Gate* gate = &gates.numbers[j] if categories_left is None else &gates.categories[j]
    if gate.kind == CATEGORY:
        table = gates.gate.share(j, flags.view(np.bool_))
    cdef const double[::1] value = values, by_category = table
    cdef const unsigned char[::1] flag = flags
    cdef const int[::1] row = rows
    cdef double[::1] shares = asked, result = out
    cdef Py_ssize_t p
    cdef Test test
    test.threshold = threshold
    test.center = threshold if center is None else center
    test.lower = lower
    test.upper = upper
    test.share_left = missing
    test.n_categories = flag.shape[0]
    test.categories_left = &flag[0] if flag.shape[0] else NULL
    test.category_share = &by_category[0] if by_category.shape[0] else NULL
    test.asked = &shares[0]
    if gate.kind == ASKED and value.shape[0]:
        gates.ask(j, test.center, &value[0], 1, &row[0], value.shape[0], &shares[0])
    for p in range(value.shape[0]):
        result[p] = share_left(gate, &test, value[p], p)
    return out
