package engine

import (
	"mpanalyze/internal/build"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
)

const (
	// maxEnded bounds the connections that wait for their report.
	maxEnded = 32
	// maxShort is how many short records pass to the reporter at once.
	maxShort = 512
)

// reporter makes reports of ended connections, in a separate goroutine, because the
// report on a short connection takes about as much time as tracking its packets.
//
// short belongs to the tracker; err belongs to the reporter's goroutine until done is
// closed.
type reporter struct {
	ended chan ended
	done  chan struct{}
	short shortRecords // records that the tracker has not sent yet; bounded by maxShort
	err   error
}

// ended is what the tracker sends: a connection that has ended, or short records.
type ended struct {
	figures    *metrics.Connection // nil for short records
	noVerdicts bool                // the report of another capture gives the verdicts
	short      shortRecords
}

// shortRecords are records of connections that the table did not make.
type shortRecords struct {
	oneSided []conn.OneSided
	syns     []conn.LoneSYN
}

// verdicts returns what judges connections.
func (o *Options) verdicts() diagnose.Judge { return diagnose.Judge{} }

// words returns what makes the words of verdicts. Verdicts get them last, when nothing changes them any more.
func (o *Options) words(hosts []report.HostRecords) *sentences.Words {
	return &sentences.Words{Kernel: o.Kernel, Hosts: hosts}
}

// startReporter starts the goroutine. The goroutine adds what it gets to builder. With reuse set
// it then gives the memory of the figures back. If builder fails, it calls failed and adds nothing
// any more.
func startReporter(builder *build.Builder, reuse bool, failed func(error)) *reporter {
	r := &reporter{ended: make(chan ended, maxEnded), done: make(chan struct{})}
	go func() {
		defer close(r.done)
		defer crash.Catch()
		for e := range r.ended {
			if r.err == nil {
				if r.err = e.addTo(builder); r.err != nil {
					failed(r.err)
				}
			}
			if e.figures != nil && reuse {
				e.figures.GiveBack()
			}
		}
	}()
	return r
}

// addTo adds the ended connection, or the short records, to builder.
func (e *ended) addTo(builder *build.Builder) error {
	switch {
	case e.figures != nil && e.noVerdicts:
		return builder.AddUnjudged(e.figures)
	case e.figures != nil:
		return builder.Add(e.figures)
	}
	for i := range e.short.oneSided {
		if err := builder.OneSided(&e.short.oneSided[i]); err != nil {
			return err
		}
	}
	for i := range e.short.syns {
		if err := builder.LoneSYN(&e.short.syns[i]); err != nil {
			return err
		}
	}
	return nil
}

// oneSided takes a record of a connection with few packets of one end.
func (r *reporter) oneSided(f *conn.OneSided) {
	if r.short.oneSided == nil {
		r.short.oneSided = make([]conn.OneSided, 0, maxShort)
	}
	r.short.oneSided = append(r.short.oneSided, *f)
	r.sendShort(maxShort)
}

// loneSYN takes a record of a SYN that no packet followed.
func (r *reporter) loneSYN(l *conn.LoneSYN) {
	if r.short.syns == nil {
		r.short.syns = make([]conn.LoneSYN, 0, maxShort)
	}
	r.short.syns = append(r.short.syns, *l)
	r.sendShort(maxShort)
}

// sendShort sends the short records to the reporter if there are at least least of
// them.
func (r *reporter) sendShort(least int) {
	if len(r.short.oneSided)+len(r.short.syns) >= least {
		r.ended <- ended{short: r.short}
		r.short = shortRecords{}
	}
}

// wait waits until the goroutine has reported on everything that it got, ends it, and
// returns the error of the builder. Nothing may be added afterwards.
func (r *reporter) wait() error {
	r.sendShort(1)
	close(r.ended)
	<-r.done
	return r.err
}
