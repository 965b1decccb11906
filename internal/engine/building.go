package engine

import (
	"mpanalyze/internal/crash"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
)

// building reports on the connections that have ended, in a goroutine beside
// the one that tracks the others: what the report of a short connection costs
// is a good part of what its packets did.
type building struct {
	ended  chan ended
	done   chan struct{}
	paired bool // what ended says of the connection that is reported on
}

// ended is a connection that has, and whether another capture is known to have
// it, too.
type ended struct {
	figures *metrics.Connection
	paired  bool
}

// maxBuilding bounds the connections that wait to be reported on.
const maxBuilding = 32

// build begins to add what comes in to builder. What was added is handed to
// reuse.
func build(builder *report.Builder, reuse func(*metrics.Connection)) *building {
	b := &building{ended: make(chan ended, maxBuilding), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		defer crash.Catch()
		for e := range b.ended {
			b.paired = e.paired
			builder.Add(e.figures)
			reuse(e.figures)
		}
	}()
	return b
}

// wait returns when all has been added. Nothing may come in after it.
func (b *building) wait() {
	close(b.ended)
	<-b.done
}
