"""Two-subset tests on a categorical variable."""

from hedgerow.induction._candidates cimport Scan
from hedgerow.tree._arena cimport Arena


cdef struct Keyed:
    double key
    int code


cdef struct Subsets:
    # Scratch for one variable; memory of an arena.
    Py_ssize_t n_categories, n_classes
    double* counts          # n_categories x n_classes
    double* key             # order of the categories
    Keyed* keyed            # scratch of their sort
    int* present            # codes that occur at the node ...
    int n_present           # ... and their number
    double* left            # class weights of the left subset
    # Of the rows whose category is guessed, one draw behind the other.
    Py_ssize_t n_draws
    double* guesses         # n_draws x (n_categories + 1) x n_classes; last: absent at the node
    double* guess_left      # n_draws x n_classes
    double* guess_sum       # n_draws
    unsigned char* goes     # n_categories: whether a category is in the left subset


cdef int subsets_init(Subsets* subsets, Arena memory, Py_ssize_t n_categories,
                      Py_ssize_t n_classes, Py_ssize_t n_draws=*) except -1 nogil
cdef double best_subset(const Scan* scan, Py_ssize_t n_categories, Subsets* subsets,
                        unsigned char* goes_left) noexcept nogil
cdef double best_category(const Scan* scan, Py_ssize_t n_categories, double weight,
                          Subsets* subsets, unsigned char* goes_left) noexcept nogil
cdef int best_subsets(const Scan* scan, Py_ssize_t n_categories, Subsets* subsets, int most,
                      double* gain, unsigned char* goes_left) noexcept nogil
