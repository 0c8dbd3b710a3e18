"""Sample points of uncertain values (UDT) as candidate thresholds of one variable at one node."""

from hedgerow.induction._candidates cimport Scan
from hedgerow.tree._arena cimport Arena


cdef struct Reach:
    # The pdf of a variable's values, and what the tests above left of it.
    double sigma                # standard deviation, unit of the variable
    double half                 # where the pdf is cut on either side, in sigma
    double lower, upper         # interval left by the tests above, same unit; may be infinite
    Py_ssize_t n_points         # equally spaced points of each value's pdf, ends included
    const double* table         # smoothing coefficients of the coarse grid
    Py_ssize_t phases, width    # their number, and points of a window
    const double* fine_table    # the same for the parts of a coarse cell
    Py_ssize_t fine_phases, fine_width


cdef struct Cells:
    # Scratch of the search, memory of an arena, all 0 at first.  Positions are in sigma from the lowest value at the node.
    # Class weights left of a boundary add up to at most the node's, within 1e-12 of it.
    Py_ssize_t capacity         # tuples
    void* tuples                # the block that the arrays by tuple share
    double* z                   # position of each tuple, ascending
    double* scale               # weight over the mass that the tests above left of its pdf
    double* below               # normal CDF at the lower end of its pdf
    double* prefix              # n_classes x (capacity + 1): class weights of the first tuples
    int* label
    int* kinked                 # tuples whose pdf begins or ends inside the cell at hand
    Py_ssize_t n_edges
    void* edges                 # the block that the arrays by boundary share
    double* place               # position of each boundary
    double* left                # n_classes x n_edges: class weights left of the boundary
    double* sum_left            # all classes together
    double* bend                # n_classes x n_edges: how far the weights are from a straight line
    double* h                   # rows of n_edges: parts of the score and its slopes
    double* bound               # of the cell that starts at the boundary; far below: none
    double* fine                # scratch of the finer levels
    double* poly                # n_classes x 7: Taylor coefficients of the weights on the left


cdef int best_sample(const Scan* scan, const Reach* reach, Cells* cells, double to_beat,
                     double* gain, double* threshold, long long* n_candidates,
                     long long* n_gains, Arena memory) except -1 nogil
