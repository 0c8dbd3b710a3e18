"""What `_confidence.pyx` keeps of a node, of its intervals, and of the instances that are at it."""


cdef struct Way:
    # Where a node sends an instance, side by side; a leaf has no column (-1).
    double threshold            # of a step; NaN where the gate is asked
    int column                  # of its variable among those that are tested
    int next[2]                 # node below the threshold, node from it on
    int place                   # among the tests, or among the leaves


cdef struct Classes:
    # What a test has of classes, as places in `bounds` and in `classes`: the first, and one beyond.
    int first_bound, last_bound
    int first_class, last_class
    int first_end, n_end_rows   # of its pieces; no end where there are none
    int first_piece


cdef struct Bound:
    # What is usual in one class at one node.
    double own_low, own_high    # ... when it is assigned; unit of the variable
    double low, high            # ... and by the stricter measure for other classes
    double pull_left, pull_right            # what it adds to the weights of the branches
    const unsigned char* usual  # of a test on categories: bits by category; NULL: by the ends
    int class_


cdef struct Piece:
    # From one end of an interval at a node to the next the same classes are foreseen.
    double left                 # weight of the left branch; -1 where no branch has any
    bint found                  # whether there is such a class


cdef struct Said:
    # What a branch says of an instance.
    const double* value         # K numbers; of a leaf, which are not to be changed ...
    double others               # no class but the assigned one has more
    int assigned
    bint is_own                 # ... or in a room of its own


cdef struct Guest:
    # An instance at a node.
    double x                    # NaN where it is missing
    int key                     # twice its place among those together, 1 more: not to be doubted
    bint is_shared              # both branches have a share


cdef struct Waiting:
    # ... if it needs both branches.
    double left                 # share that goes left; after a doubt: weight of the left branch
    Said first                  # what the branch said that was read first


cdef struct Frame:
    # One node on the way from the root, with those that are at it.
    int node
    int place                   # among the tests
    int stage
    Guest* guests               # from the first on those who went left, or have a share there
    Waiting* waiting            # by place among the guests on one side
    Py_ssize_t n, n_left
    Py_ssize_t n_shared
    Py_ssize_t n_waiting        # of those last judged: for the other branch; they are the first
