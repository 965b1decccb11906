package launch

import "syscall"

// askForHugePages asks for huge pages in a part of the heap that was never used,
// and leaves that to the collector of garbage.
func askForHugePages() bool {
	return syscall.Madvise(make([]byte, heapRoom), syscall.MADV_HUGEPAGE) == nil
}
