# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The elementary functions of the core, for tests."""

import numpy as np


def values(str name, x, y=None):
    """Values of one function.

    Parameters
    ----------
    name : {'exp', 'log', 'pow', 'atan', 'erfc'}
    x : (n,) float64
    y : (n,) float64, optional
        Exponents of `pow`.

    Returns
    -------
    (n,) float64
    """
    cdef const double[::1] value = np.ascontiguousarray(x, dtype=np.float64)
    cdef const double[::1] power = np.ascontiguousarray(x if y is None else y, dtype=np.float64)
    out = np.empty(value.shape[0])
    cdef double[::1] result = out
    cdef Py_ssize_t i
    for i in range(value.shape[0]):
        if name == "exp":
            result[i] = hedgerow_exp(value[i])
        elif name == "log":
            result[i] = hedgerow_log(value[i])
        elif name == "pow":
            result[i] = hedgerow_pow(value[i], power[i])
        elif name == "atan":
            result[i] = hedgerow_atan(value[i])
        else:
            result[i] = hedgerow_erfc(value[i])
    return out
