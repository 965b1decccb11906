package cli

import (
	"fmt"
	"sync"
	"time"

	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
)

// The progress line appears after some time, and then changes a few times a second.
const (
	progressAfter = time.Second
	progressEvery = 250 * time.Millisecond
)

// showProgress keeps a line on standard error up to date where that is a
// terminal. The function that it returns takes the line away and must be
// called.
func (a *app) showProgress(p *engine.Progress) (stop func()) {
	if !a.ErrTTY {
		return func() {}
	}
	start, quit := a.Now(), make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		defer crash.Catch()
		shown := false
		tick := time.NewTicker(progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				if shown {
					fmt.Fprint(a.Err, "\r\x1b[K")
				}
				return
			case <-tick.C:
				if elapsed := a.Now().Sub(start); elapsed >= progressAfter {
					fmt.Fprint(a.Err, "\r\x1b[K"+progressLine(p.Bytes.Load(), p.Total.Load(), p.Packets.Load(), elapsed))
					shown = true
				}
			}
		}
	})
	return func() {
		close(quit)
		done.Wait()
	}
}

// progressLine says how much was read, how fast, and how long the rest will
// take at that speed; it fits into 80 columns.
func progressLine(bytes, total, packets int64, elapsed time.Duration) string {
	mb := func(n int64) float64 { return float64(n) / 1e6 }
	line := fmt.Sprintf("%.1f MB", mb(bytes))
	if total > 0 {
		line = fmt.Sprintf("%.1f of %.1f MB", mb(bytes), mb(total))
	}
	line += fmt.Sprintf(", %.0f packets/s", float64(packets)/elapsed.Seconds())
	if total > bytes && bytes > 0 {
		left := time.Duration(float64(elapsed) * float64(total-bytes) / float64(bytes))
		line += fmt.Sprintf(", %v left", left.Round(time.Second))
	}
	return line
}
