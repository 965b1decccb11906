package engine_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

// maxFuzzed bounds a file that is fuzzed, in bytes: 300 packets of the size that
// the seeds have.
const maxFuzzed = 64 << 10

// fuzzOptions asks for everything, or for a part of it that mode names.
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

// FuzzAnalyze feeds any bytes as a capture to the whole program. Whatever they are,
// it ends without a panic, keeps what the report promises, and takes memory in
// proportion to the file. The seeds are a dozen packets each, so that nearly all of
// an execution is analysis. What is behind sound headers is for [FuzzSession].
func FuzzAnalyze(f *testing.F) {
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
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := analyzeWith(t, fuzzOptions(file, mode), &rowCheck{})
		runtime.ReadMemStats(&after)
		// A packet that says anything has some 50 bytes; a connection takes
		// about as much memory as 30 packets of a report's rows.
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20+4000*uint64(len(file)) {
			t.Errorf("%d bytes were allocated for a file of %d", took, len(file))
		}
		if got.doc != nil {
			sane(t, got.doc)
		}
	})
}
