package engine_test

import (
	"bytes"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// maxFuzzed bounds a fuzzed file, in bytes: 300 packets of the size in the seeds.
const maxFuzzed = 64 << 10

// fuzzHeap is the garbage collector's percentage in fuzz targets. An execution allocates some
// 1 MB and keeps nothing: as a rule the collector would run in each.
const fuzzHeap = 2000

// fuzzing prepares a process for a fuzz target, whose worker runs nothing else.
func fuzzing(f *testing.F) {
	before := debug.SetGCPercent(fuzzHeap)
	f.Cleanup(func() { debug.SetGCPercent(before) })
}

// allocated returns how many bytes the process has allocated so far. Unlike
// [runtime.ReadMemStats] it does not stop all goroutines.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// fuzzOptions asks for everything, or for a part that mode selects.
func fuzzOptions(file []byte, mode uint8) engine.Options {
	o := everything(bytes.NewReader(file))
	if mode&1 != 0 {
		o.Interval = 0
	}
	if mode&2 != 0 {
		o.Skip = 20 * time.Millisecond
	}
	if mode&4 != 0 {
		o.Connection = 0
	}
	o.Direction = [...]report.Direction{"", report.A2B, report.B2A, ""}[mode>>3&3]
	o.Vantage = [...]report.Vantage{"", report.VantageA, report.VantageB, report.VantageMiddle}[mode>>5&3]
	return o.Alone()
}

// FuzzAnalyze gives the whole program arbitrary bytes as a capture. It must end without a
// panic, follow the rules of the report, and take memory in proportion to the file. The
// seeds are a dozen packets each, so that nearly all of an execution is analysis.
// [FuzzSession] covers the code behind correct headers.
func FuzzAnalyze(f *testing.F) {
	fuzzing(f)
	for i, name := range realCaptures {
		m := load(f, name, 12)
		f.Add(m.file, uint8(i))
		u := m.units[len(m.units)-1]
		altered := bytes.Clone(m.file[:len(m.file)-5])
		altered[u.at+u.size/2] ^= 0x81
		altered[u.at+1] ^= 0x10 // a step of the clock
		f.Add(altered, uint8(i))
	}
	f.Fuzz(func(t *testing.T, file []byte, mode uint8) {
		if len(file) > maxFuzzed {
			return
		}
		before := allocated()
		got := analyzeWith(t, fuzzOptions(file, mode), &rowCheck{})
		took := allocated() - before
		// A packet with any content has some 50 bytes; a connection takes about as much
		// memory as 30 packets in rows of a report.
		if took > 32<<20+4000*uint64(len(file)) {
			t.Errorf("%d bytes were allocated for a file of %d", took, len(file))
		}
		if got.doc != nil {
			sane(t, got.doc)
		}
	})
}
