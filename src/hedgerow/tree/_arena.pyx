# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Memory of the compiled cores: every block belongs to an arena and goes with it.

A core takes what it needs and frees nothing: whichever way its work ends, the arena ends with the
object that holds it.  What grows is resized, what a loop needs for one turn is given back.
"""

from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memset

cdef Py_ssize_t n_arenas = 0            # that live; counted where the GIL is held
cdef Py_ssize_t n_held = 0              # blocks of arenas that have ended and were not freed
cdef Py_ssize_t before_failure = -1     # blocks still granted before one is refused; -1: all


cdef bint refused() noexcept nogil:
    """Whether a test asked for this block to be refused."""
    global before_failure
    if before_failure < 0:
        return False
    before_failure -= 1
    return before_failure < 0


cdef class Arena:
    """Owns blocks of memory.

    Parameters
    ----------
    purpose : str
        Ends the sentence "no memory ...".
    """

    def __cinit__(self, purpose="for the core"):
        global n_arenas
        self.head.next = &self.head
        self.head.previous = &self.head
        self.purpose = purpose
        n_arenas += 1

    def __dealloc__(self):
        global n_arenas, n_held
        while self.head.next != &self.head:
            self.give_back(<void*> (self.head.next + 1))
        n_arenas -= 1
        n_held += self.n_blocks

    cdef void* take(self, Py_ssize_t n, Py_ssize_t size) except NULL nogil:
        """A block for n items of this size in bytes, not filled.

        Raises
        ------
        MemoryError
        """
        cdef Block* block = NULL
        if not refused():
            block = <Block*> malloc(sizeof(Block) + n * size)
        if block == NULL:
            with gil:
                raise MemoryError(f"no memory {self.purpose}")
        block.size = n * size
        block.previous = &self.head
        block.next = self.head.next
        block.next.previous = block
        self.head.next = block
        self.n_blocks += 1
        self.n_bytes += block.size
        return <void*> (block + 1)

    cdef void* zeros(self, Py_ssize_t n, Py_ssize_t size) except NULL nogil:
        """As `take`, filled with zeros."""
        cdef void* block = self.take(n, size)
        memset(block, 0, n * size)
        return block

    cdef void* resized(self, void* block, Py_ssize_t n, Py_ssize_t size) except NULL nogil:
        """The block with room for n items, moved if need be; NULL: a new one.

        Raises
        ------
        MemoryError
            The block stays as it was.
        """
        cdef Block* old
        cdef Block* moved = NULL
        cdef Py_ssize_t before
        if block == NULL:
            return self.take(n, size)
        old = <Block*> block - 1
        before = old.size
        if not refused():
            moved = <Block*> realloc(old, sizeof(Block) + n * size)
        if moved == NULL:
            with gil:
                raise MemoryError(f"no memory {self.purpose}")
        moved.size = n * size
        moved.previous.next = moved
        moved.next.previous = moved
        self.n_bytes += moved.size - before
        return <void*> (moved + 1)

    cdef void give_back(self, void* block) noexcept nogil:
        """Free one block before the arena ends; NULL is none."""
        cdef Block* old
        if block == NULL:
            return
        old = <Block*> block - 1
        old.previous.next = old.next
        old.next.previous = old.previous
        self.n_blocks -= 1
        self.n_bytes -= old.size
        free(old)


def live():
    """Arenas that live, for tests: their number; blocks that ended arenas left behind."""
    return n_arenas, n_held


def refuse_after(Py_ssize_t n):
    """Grant n blocks more and refuse the next, once, for tests; -1: refuse none."""
    global before_failure
    before_failure = n
