package engine

import (
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// building reports on the connections that have ended, in a goroutine beside
// the one that tracks the others: what the report of a short connection costs
// is a good part of what its packets did.
type building struct {
	ended chan *metrics.Connection
	done  chan struct{}
}

// maxBuilding bounds the connections that wait to be reported on.
const maxBuilding = 32

// build begins to add what comes in to builder. What was added is handed to
// reuse.
func build(builder *report.Builder, reuse func(*metrics.Connection)) *building {
	b := &building{make(chan *metrics.Connection, maxBuilding), make(chan struct{})}
	go func() {
		defer close(b.done)
		for m := range b.ended {
			builder.Add(m)
			reuse(m)
		}
	}()
	return b
}

// wait returns when all has been added. Nothing may come in after it.
func (b *building) wait() {
	close(b.ended)
	<-b.done
}
