package engine_test

import (
	"os"
	"testing"
	"time"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/engine"
)

// BenchmarkRecorded analyses a capture that scripts/record-load.sh has made. MPANALYZE_LOAD
// is its name.
func BenchmarkRecorded(b *testing.B) {
	file := os.Getenv("MPANALYZE_LOAD")
	if file == "" {
		b.Skip("MPANALYZE_LOAD names no capture")
	}
	for name, omit := range map[string]catalogue.Families{"all": 0, "basic": catalogue.AllFamilies} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				benchReport(b, engine.Options{Paths: []string{file}, Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Omit: omit})
			}
		})
	}
}
