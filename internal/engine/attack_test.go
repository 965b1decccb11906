package engine_test

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// toll is the cost of an attack.
type toll struct {
	packets     int64
	heap        int64 // bytes of the heap at the end of the capture, before the remaining connections are reported
	allocations uint64
	report      int // bytes
}

// attacked returns the capture of an attack of n rounds.
func attacked(t *testing.T, name string, n int) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := tracegen.NewWriter(&file, tracegen.Format{})
	if err == nil {
		err = tracegen.WriteAttack(w, name, n)
	}
	if err == nil {
		err = w.Flush()
	}
	assert.NilError(t, err)
	return file.Bytes()
}

// suffer analyses an attack of n rounds.
func suffer(t *testing.T, name string, n int) (x toll) {
	t.Helper()
	file := bytes.NewReader(attacked(t, name, n))
	before := int64(liveHeap())
	var start, end runtime.MemStats
	runtime.ReadMemStats(&start)
	atEnd := &probe{r: bytes.NewReader(nil), at: func() { x.heap = int64(liveHeap()) - before }}
	got := analyzeWith(t, engine.Options{
		Paths: []string{"-"}, Stdin: io.MultiReader(file, atEnd), Connection: engine.AllConnections, Decap: true, Detail: report.WithData,
	}, &rowCheck{})
	runtime.ReadMemStats(&end)
	if got.err != nil {
		t.Fatal(got.err)
	}
	text, err := json.Marshal(got.doc)
	assert.NilError(t, err)
	x.packets, x.allocations, x.report = got.doc.Captures[0].Packets, end.Mallocs-start.Mallocs, len(text)
	return x
}

// dear are the attacks whose packets may allocate, and the bound for each packet: it makes
// an event, a connection or a line of the report, or a library reads it.
var dear = map[string]float64{
	"mappings that overlap":                   10,
	"fragments that never complete":           14,
	"addresses announced, removed and ranked": 10,
}

// pages bounds the allocations for a packet that opens a hole: four lists get an
// element, and an allocation makes room for at least half a page of 64 elements.
const pages = 4.0 / 32

// settled is the number of rounds after which neither lists nor reports grow.
const settled = 8000

// An attack costs no more than a bound of memory, no allocation for each packet, and a
// short report, however long it lasts. With the race detector and with -short there are too
// few packets to check allocations and reports.
func TestAttacks(t *testing.T) {
	rounds := testrun.Cases(32_000 / scale)
	for _, attack := range tracegen.Attacks() {
		if attack.Opens {
			continue
		}
		t.Run(attack.Name, func(t *testing.T) {
			few, many := suffer(t, attack.Name, rounds), suffer(t, attack.Name, 4*rounds)
			packets := many.packets - few.packets
			assert.Assert(t, packets >= int64(3*rounds), "%d packets, then %d", few.packets, many.packets)
			assert.Check(t, many.heap <= 24<<20, "%d bytes are kept after %d packets", many.heap, many.packets)
			if rounds < settled { // lists and reports may still grow to their bounds
				return
			}
			each := float64(int64(many.allocations)-int64(few.allocations)) / float64(packets)
			if limit := max(pages, dear[attack.Name]); each > limit {
				t.Errorf("%.2f allocations for each further packet, want %v at most", each, limit)
			}
			if more := many.report - few.report; more > 32<<10 || many.report > 1<<20 {
				t.Errorf("a report of %d bytes, %d more than on a quarter", many.report, more)
			}
		})
	}
}

// The cost of each connection and subflow without traffic does not depend on their number.
func TestAttacksThatOpen(t *testing.T) {
	rounds := testrun.Cases(600)
	for _, attack := range tracegen.Attacks() {
		if !attack.Opens {
			continue
		}
		t.Run(attack.Name, func(t *testing.T) {
			few, many := suffer(t, attack.Name, rounds), suffer(t, attack.Name, 4*rounds)
			assert.Check(t, many.report <= 4*few.report+few.report/4, "a report of %d bytes on a quarter, of %d on all", few.report, many.report)
			assert.Check(t, many.allocations <= 4*few.allocations+few.allocations/2, "%d allocations for a quarter, %d for all", few.allocations, many.allocations)
			// The table has a thousand half-open connections, 10 kB each. In the short
			// attack all of them may still be there when the heap is measured.
			assert.Check(t, many.heap <= 4*max(few.heap, 0)+24<<20, "%d bytes kept of a quarter, %d of all", few.heap, many.heap)
		})
	}
}
