package engine_test

import (
	"bytes"
	"flag"
	"hash/crc32"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// maxFuzzed bounds a fuzzed file, in bytes: some 60 packets. Longer ones find nothing more and take
// the time of many.
const maxFuzzed = 8 << 10

// wholeEach is how many inputs that the fuzzing makes get one check of the whole report. That looks
// at every field by reflection, which takes longer than the analysis.
const wholeEach = 100

// checkedWhole reports whether the whole report of an input is checked: that of each input of the corpus,
// and of one in wholeEach of those that the fuzzing makes. The same input is always checked the same.
func checkedWhole(input []byte) bool {
	return flag.Lookup("test.fuzz").Value.String() == "" || crc32.ChecksumIEEE(input)%wholeEach == 0
}

// fuzzed analyses an input and checks the report.
func fuzzed(t *testing.T, input []byte, o engine.Options) {
	got := attempt(t, o, &rowCheck{})
	switch {
	case got.doc == nil: // there may be no TCP connection
	case checkedWhole(input):
		assert.Check(t, reporttest.Check(got.doc))
		sane(t, got.doc)
	default:
		consistent(t, got.doc)
	}
}

// fuzzHeap is the garbage collector's percentage in fuzz targets. An execution allocates some
// 1 MB and keeps nothing: as a rule the collector would run in each.
const fuzzHeap = 2000

// fuzzMinimize turns off the search for a shorter input. By default it takes 60 s for each input that is
// new, which is nearly all of the time: the goroutines of equal runs cover different code, so that no
// shorter input seems to be equal.
const fuzzMinimize = "0x"

// fuzzing prepares a process for a fuzz target, whose worker runs nothing else.
func fuzzing(f *testing.F) {
	if minimize := flag.Lookup("test.fuzzminimizetime"); minimize.Value.String() == minimize.DefValue {
		assert.NilError(f, minimize.Value.Set(fuzzMinimize))
	}
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
		fuzzed(t, file, fuzzOptions(file, mode))
		took := allocated() - before
		// A packet with any content has some 50 bytes; a connection takes about as much
		// memory as 30 packets in rows of a report.
		assert.Check(t, took <= 32<<20+4000*uint64(len(file)), "%d bytes were allocated for a file of %d", took, len(file))
	})
}
