package launch

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"mpanalyze/internal/storage"
)

// By how much the heap may grow between two collections of garbage, in percent,
// unless GOGC says otherwise. An analysis makes little garbage and ends soon.
const (
	// heapGrowth is for all commands: with the usual 100 the collector takes a
	// twentieth of the CPU time, and the peak of the memory is hardly lower.
	heapGrowth = 200
	// firstGrowth lets the analysis of a long capture get to 24 MB before the
	// first collection, as 5 MB of globals count, too: earlier there is next to
	// nothing to collect.
	firstGrowth = 400
	// laterGrowth is for what comes then, so that the peak stays near that: where
	// connections are many, with 100 the second collection came ten megabytes later, or
	// never.
	laterGrowth = 50
)

const (
	// longCapture is the size of captures, in bytes, from which on an analysis
	// takes longer than to ready the heap for it.
	longCapture = 8 << 20
	// heapRoom is the part of the heap, in bytes, that lies in huge pages.
	heapRoom = 32 << 20
)

// long reports whether captures are, or may be: of a pipe nobody knows.
func long(paths []string) bool {
	size := int64(0)
	for _, path := range paths {
		info, err := storage.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			return path == "-" || err == nil
		}
		size += info.Size()
	}
	return size >= longCapture
}

// readyHeap readies the heap for the analysis of a long capture. The system then
// clears memory in pages of 2 MB, as far as it is used, and not in some thousand
// small ones, each at the price of an interrupt; and fewer pages are sooner found.
func readyHeap() {
	debug.SetGCPercent(-1)
	if hugeOnDemand() && askForHugePages() {
		runtime.GC() // and the heap has what was asked for
	}
	debug.SetGCPercent(firstGrowth)
	runtime.AddCleanup(new([64]byte), func(growth int) { debug.SetGCPercent(growth) }, laterGrowth)
}

// hugeOnDemand reports whether the system gives huge pages to whom asks for them,
// and only to those.
func hugeOnDemand() bool {
	setting, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && strings.Contains(string(setting), "[madvise]")
}
