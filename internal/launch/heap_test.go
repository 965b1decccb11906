package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestLong(t *testing.T) {
	dir := t.TempDir()
	file := func(size int64) string {
		f, err := os.CreateTemp(dir, "")
		assert.NilError(t, err)
		defer f.Close()
		assert.NilError(t, f.Truncate(size))
		return f.Name()
	}
	half, most := file(longCapture/2), file(longCapture/2-1)
	for _, c := range []struct {
		name  string
		paths []string
		want  bool
	}{
		{"long", []string{file(longCapture)}, true},
		{"short", []string{file(longCapture - 1)}, false},
		{"two that are long together", []string{half, half}, true},
		{"two that are not", []string{half, most}, false},
		{"standard input", []string{half, "-"}, true},
		{"a pipe, or what else has no size", []string{dir}, true},
		{"none", []string{filepath.Join(dir, "none")}, false},
	} {
		if got := long(c.paths); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// measured returns a value of the runtime.
func measured(name string) uint64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// The room in huge pages is there for whoever needs memory, and the heap grows
// less once the first garbage was collected.
func TestReadyHeap(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	readyHeap()
	if got := measured("/gc/gogc:percent"); got != firstGrowth {
		t.Errorf("the heap may grow by %d %%", got)
	}
	if hugeOnDemand() {
		if got := measured("/memory/classes/heap/objects:bytes"); got > heapRoom/2 {
			t.Errorf("%d bytes are taken", got)
		}
		maps, err := os.ReadFile("/proc/self/smaps")
		assert.NilError(t, err)
		if !strings.Contains(string(maps), "VmFlags:") {
			t.Log("this kernel does not say where huge pages are")
		} else if !strings.Contains(string(maps), " hg") { // see proc_pid_smaps(5)
			t.Error("no memory lies in huge pages")
		}
	}
	for range 10_000 {
		if measured("/gc/gogc:percent") == laterGrowth {
			return
		}
		runtime.GC()
		runtime.Gosched()
	}
	t.Error("the heap never came to grow less")
}

// The limit of the heap stands while the live heap is five sixths of it or less, and else
// follows the live heap.
func TestHeapLimit(t *testing.T) {
	for live, want := range map[int64]int64{0: 600, 500: 600, 550: 660, 1000: 1200} {
		if got := heapLimit(600, live); got != want {
			t.Errorf("a limit of 600 with %d bytes in use: %d, want %d", live, got, want)
		}
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	const most = 32 << 20
	live := make([]byte, 2*most)
	runtime.GC() // counts them
	limitHeap(most)
	got, least := debug.SetMemoryLimit(-1), int64(len(live)+len(live)/leastRoom)
	assert.Check(t, got >= least && got <= 2*least, "with %d bytes in use the limit is %d, want %d and little more", len(live), got, least)
	runtime.KeepAlive(live)
}
