# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The grid of soft search under a noise model that the core works out itself."""

import numpy as np

from libc.stdint cimport int64_t

from hedgerow.tree._models cimport Model, model_gate, read_model


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
    cdef Model model
    cdef Py_ssize_t i, k
    out = np.empty((x.shape[0], width))
    cdef double[:, ::1] share = out
    read_model(numbers, &model)
    with nogil:
        for i in range(x.shape[0]):
            for k in range(width):
                share[i, k] = model_gate(&model, x[i], origin + (first[i] + k) * step)
    return out
