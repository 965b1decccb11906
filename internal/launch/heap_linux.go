package launch

import "syscall"

// askForHugePages asks for huge pages in a new part of the heap. It then leaves that
// part to the garbage collector, which gives it back to the heap.
func askForHugePages() bool {
	return syscall.Madvise(make([]byte, heapRoom), syscall.MADV_HUGEPAGE) == nil
}
