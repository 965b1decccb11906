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
	err    error
}

// ended is a connection that has, and whether another capture is known to have
// it, too.
type ended struct {
	figures *metrics.Connection
	paired  bool
}

// maxBuilding bounds the connections that wait to be reported on.
const maxBuilding = 32

// build begins to add what comes in to builder. What was added is handed to reuse. If
// builder fails, that is told to failed, and what comes then is not added.
func build(builder *report.Builder, reuse func(*metrics.Connection), failed func(error)) *building {
	b := &building{ended: make(chan ended, maxBuilding), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		defer crash.Catch()
		for e := range b.ended {
			b.paired = e.paired
			if b.err == nil {
				if b.err = builder.Add(e.figures); b.err != nil {
					failed(b.err)
				}
			}
			reuse(e.figures)
		}
	}()
	return b
}

// wait returns when all has been added, or why it could not be. Nothing may come in
// after it.
func (b *building) wait() error {
	close(b.ended)
	<-b.done
	return b.err
}
