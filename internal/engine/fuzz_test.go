package engine_test

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"mpanalyze/internal/report"
)

// FuzzAnalyze feeds any octets as a capture to the whole program. Whatever they
// are, it ends without a panic, keeps what the report promises, and takes
// memory in proportion to the file. Two goroutines make the coverage of equal
// runs differ, so fuzz with -fuzzminimizetime 10x: without it, all the time goes
// into shortening inputs.
func FuzzAnalyze(f *testing.F) {
	for i, name := range realCaptures {
		m := load(f, name, 30)
		f.Add(m.file, uint8(i))
		f.Add(m.file[:len(m.file)-5], uint8(0))
		for _, u := range m.units[len(m.units)/2:] {
			altered := bytes.Clone(m.file)
			altered[u.at+u.size-7] ^= 0x55
			altered[u.at+u.size/2] ^= 0x81
			altered[u.at+1] ^= 0x10 // a step of the clock
			f.Add(altered, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, mode uint8) {
		if len(file) > 1<<20 {
			return
		}
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
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		analyzeWith(t, o, &rowCheck{})
		runtime.ReadMemStats(&after)
		// A packet that says anything has some 50 octets; a connection takes
		// about as much memory as 30 packets of a report's rows.
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20+4000*uint64(len(file)) {
			t.Errorf("%d octets were allocated for a file of %d", took, len(file))
		}
	})
}
