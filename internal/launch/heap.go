package launch

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"

	"mpanalyze/internal/storage"
)

// The heap grows by these percentages between two garbage collections, unless GOGC sets
// another value. An analysis makes little garbage and ends soon.
const (
	// heapGrowth is for all commands. With Go's default of 100 the garbage collector
	// takes a twentieth of the CPU time, and the peak of the memory is hardly lower.
	heapGrowth = 200
	// firstGrowth is for the time up to the first collection of a long capture. The
	// heap then grows to 24 MB, because Go adds 5 MB of globals to the live heap.
	// Before that there is almost nothing to collect.
	firstGrowth = 400
	// laterGrowth is for the time after that. It keeps the peak near the memory that is
	// in use: with 1,000 connections at once, 33 takes 8 MB less than 50, and one
	// percent more CPU time.
	laterGrowth = 33
	// leastGrowth is for the results of many runs: nearly all memory is in use until the end, and holds no
	// pointers, so that collections cost little.
	leastGrowth = 15
)

const (
	// longCapture is a size in bytes. Captures of this size or more take longer to
	// analyse than it takes to prepare the heap.
	longCapture = 8 << 20
	// heapRoom is the part of the heap, in bytes, that lies in huge pages. Without them a thousand connections take 9 %
	// more CPU time.
	heapRoom = 32 << 20
)

// besideState is the memory, in bytes, that the Go runtime may take for an analysis beside
// the state of open connections (--max-memory). The program itself takes some 15 MB.
const besideState = 48 << 20

// leastRoom is the part of the live heap by which the heap may grow beyond it between two
// collections in any case.
const leastRoom = 5

// limitHeap limits the memory of the Go runtime to most bytes, now and after each
// collection: see heapLimit.
func limitHeap(most int64) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	if limit := heapLimit(most, int64(live[0].Value.Uint64())); limit != debug.SetMemoryLimit(-1) {
		debug.SetMemoryLimit(limit)
	}
	runtime.AddCleanup(new([64]byte), limitHeap, most) // after the next collection
}

// heapLimit returns most. Where the live heap comes near that or beyond, the limit follows
// it, because collections would otherwise take half of the CPU time.
func heapLimit(most, live int64) int64 { return max(most, live+live/leastRoom) }

// long reports whether the captures are long. A pipe counts as long, because nobody knows
// its length.
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

// readyHeap prepares the heap for the analysis of a long capture. The system then
// provides memory in pages of 2 MB. Otherwise it would provide several thousand small
// pages, each with an interrupt. The processor also translates addresses faster with
// fewer pages.
func readyHeap() {
	debug.SetGCPercent(-1)
	if hugeOnDemand() && askForHugePages() {
		runtime.GC() // gives the huge pages to the heap
	}
	debug.SetGCPercent(firstGrowth)
	runtime.AddCleanup(new([64]byte), func(growth int) { debug.SetGCPercent(growth) }, laterGrowth)
}

// hugeOnDemand reports whether the system gives huge pages to programs that ask for
// them, and only to those.
func hugeOnDemand() bool {
	setting, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && strings.Contains(string(setting), "[madvise]")
}
