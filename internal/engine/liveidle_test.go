package engine_test

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/tracegen"
)

// paused follows threeSeconds through a pipe that is silent after 1 s until intervals were
// reported. While it waits, each reading of the clock is half a second later.
func paused(t *testing.T, intervals int) []*live.Interval {
	t.Helper()
	f := framesOf(t, save(t, filepath.Join(t.TempDir(), "x.pcap"), threeSeconds(t, tracegen.HostA)))
	first := f.only(func(i int) bool { return f.list[i].Time-f.list[0].Time < 1e9 }).pcap()
	r, w := io.Pipe()
	resume, ticks := make(chan struct{}), make(chan time.Time)
	var clock atomic.Int64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case ticks <- time.Time{}:
				clock.Add(int64(500 * time.Millisecond))
			case <-done:
				return
			}
		}
	}()
	go func() {
		w.Write(first)
		<-resume
		w.Write(f.pcap()[len(first):])
		w.Close()
	}()
	var all []*live.Interval
	o := liveOptions("-")
	o.Stdin = r
	s, _, err := engine.Live(t.Context(), o, engine.LiveOptions{
		Interval: time.Second, Top: 5, Keep: 5,
		Now:  func() time.Time { return time.Unix(0, clock.Load()) },
		Tick: func() <-chan time.Time { return ticks },
		Show: func(v *live.Interval) error {
			if all = append(all, v); len(all) == intervals {
				close(done) // the clock stands still
				close(resume)
			}
			return nil
		},
	})
	assert.NilError(t, err)
	s.Close()
	return all
}

// TestLiveIdle: if no packet ends an interval, the wall clock does, and the figures are the
// same as if packets had ended it.
func TestLiveIdle(t *testing.T) {
	o := livePiped(threeSeconds(t, tracegen.HostA))
	want, _ := lived(t, o, engine.LiveOptions{Interval: time.Second, Top: 5, Keep: 5})
	if got := paused(t, 1); !reflect.DeepEqual(got, want) {
		t.Error("the intervals are not those of a capture without a pause")
	}
}

// TestLiveLate: packets of an interval that the wall clock has ended are counted in the
// next one, which reports their number, so that the sums are complete.
func TestLiveLate(t *testing.T) {
	all := paused(t, 2)
	var bytes, late int64
	for _, v := range all {
		bytes += v.Bytes
		late += v.Late
	}
	if all[1].Bytes != 0 || bytes != 65_000 || late < 40 { // 21 segments and their ACKs
		t.Errorf("%d bytes in the second interval, %d in all, %d packets late", all[1].Bytes, bytes, late)
	}
}

// TestLivePace: packets of files pass no faster than asked for.
func TestLivePace(t *testing.T) {
	o := livePiped(threeSeconds(t, tracegen.HostA))
	begin := time.Now()
	n := 0
	s, _, err := engine.Live(t.Context(), o, engine.LiveOptions{Interval: time.Second, Top: 1, Pace: 20, Now: time.Now, Show: func(v *live.Interval) error {
		if n++; !v.Last && time.Since(begin) < time.Duration(n)*time.Second/20 {
			t.Errorf("interval %d is over after %v", n, time.Since(begin))
		}
		return nil
	}})
	if err != nil || n != 4 {
		t.Errorf("%d intervals, %v", n, err)
	}
	s.Close()
}

// TestLiveStopped: if the user ends the program, that is no damage, whether packets wait
// for their time or for others; an interrupt is.
func TestLiveStopped(t *testing.T) {
	for _, tt := range []struct {
		cause   error
		pace    float64
		damaged bool
	}{{engine.ErrStopped, 0.001, false}, {engine.ErrStopped, 0, false}, {context.Canceled, 0, true}} {
		ctx, stop := context.WithCancelCause(t.Context())
		r, w := io.Pipe()
		file := threeSeconds(t, tracegen.HostA)
		go w.Write(file[:len(file)-7]) // in the middle of a record; and the pipe stays open
		o := liveOptions("-")
		o.Stdin = r
		looks := 0
		now := func() time.Time {
			if looks++; tt.pace > 0 && looks == 2 { // the first is at the first packets, the second before the wait for their time
				stop(tt.cause)
			}
			return time.Unix(0, int64(looks)*int64(500*time.Millisecond))
		}
		l := engine.LiveOptions{Interval: time.Second, Top: 1, Keep: 9, Pace: tt.pace, Now: now, Show: func(v *live.Interval) error {
			if v.Number == 2 {
				stop(tt.cause)
			}
			return nil
		}}
		if tt.pace == 0 { // the wall clock ends the interval
			l.Tick = func() <-chan time.Time { return time.Tick(time.Millisecond) }
		}
		s, _, err := engine.Live(ctx, o, l)
		if s == nil || engine.Damaged(err) != tt.damaged || !tt.damaged && err != nil {
			t.Fatalf("%v: %v", tt, err)
		}
		doc, _ := s.Document()
		s.Close()
		if len(doc.Connections) != 1 || doc.Captures[0].Truncated != tt.damaged || (doc.Captures[0].Damage != nil) != tt.damaged {
			t.Errorf("%v: %d connections, %+v", tt, len(doc.Connections), doc.Captures[0])
		}
		w.Close()
		stop(nil)
	}
}

// TestLiveUnwritable: reading ends if the intervals cannot be written.
func TestLiveUnwritable(t *testing.T) {
	full := errors.New("no room")
	o := livePiped(threeSeconds(t, tracegen.HostA))
	n := 0
	s, _, err := engine.Live(t.Context(), o, engine.LiveOptions{Interval: time.Second, Top: 1, Now: time.Now, Show: func(*live.Interval) error {
		n++
		return full
	}})
	if !errors.Is(err, full) || n != 1 {
		t.Errorf("%d intervals, %v", n, err)
	}
	if s != nil {
		s.Close()
	}
}
