package engine

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report/build"
)

// building reports on the connections that have ended, in a goroutine beside
// the one that tracks the others: what the report of a short connection costs
// is a good part of what its packets did.
type building struct {
	ended  chan ended
	done   chan struct{}
	few    []conn.OneSided // on their way into ended; bounded by maxFragments
	lones  []conn.LoneSYN  // likewise; bounded by maxLones
	paired bool            // what ended says of the connection that is reported on
	err    error
}

// ended is a connection that has, and whether another capture is known to have
// it, too; or fragments; or SYNs that nothing followed.
type ended struct {
	figures *metrics.Connection
	paired  bool
	few     []conn.OneSided
	lones   []conn.LoneSYN
}

const (
	// maxBuilding bounds the connections that wait to be reported on.
	maxBuilding = 32
	// maxFragments is how many fragments are handed over at once.
	maxFragments = 64
	// maxLones is how many SYNs that nothing followed are handed over at once.
	maxLones = 128
)

// startBuilding begins to add what comes in to builder. What was added is handed to reuse. If
// builder fails, that is told to failed, and what comes then is not added.
func startBuilding(builder *build.Builder, reuse func(*metrics.Connection), failed func(error)) *building {
	b := &building{ended: make(chan ended, maxBuilding), done: make(chan struct{})}
	go func() {
		defer close(b.done)
		defer crash.Catch()
		for e := range b.ended {
			b.paired = e.paired
			if b.err == nil {
				if b.err = e.add(builder); b.err != nil {
					failed(b.err)
				}
			}
			if e.figures != nil {
				reuse(e.figures)
			}
		}
	}()
	return b
}

// add has builder report on what ended.
func (e *ended) add(builder *build.Builder) error {
	if e.figures != nil {
		return builder.Add(e.figures)
	}
	for i := range e.few {
		if err := builder.Fragment(&e.few[i]); err != nil {
			return err
		}
	}
	for i := range e.lones {
		if err := builder.Lone(&e.lones[i]); err != nil {
			return err
		}
	}
	return nil
}

// fragment takes a fragment.
func (b *building) fragment(f *conn.OneSided) {
	if b.few == nil {
		b.few = make([]conn.OneSided, 0, maxFragments)
	}
	if b.few = append(b.few, *f); len(b.few) == maxFragments {
		b.ended <- ended{few: b.few}
		b.few = nil
	}
}

// lone takes a SYN that nothing followed.
func (b *building) lone(l *conn.LoneSYN) {
	if b.lones == nil {
		b.lones = make([]conn.LoneSYN, 0, maxLones)
	}
	if b.lones = append(b.lones, *l); len(b.lones) == maxLones {
		b.ended <- ended{lones: b.lones}
		b.lones = nil
	}
}

// wait returns when all has been added, or why it could not be. Nothing may come in
// after it.
func (b *building) wait() error {
	b.ended <- ended{few: b.few, lones: b.lones}
	close(b.ended)
	<-b.done
	return b.err
}
