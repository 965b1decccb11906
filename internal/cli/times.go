package cli

import (
	"errors"
	"fmt"
	"time"
)

// leastInterval is the shortest cell of a sampling grid. Timestamps of captures are hardly
// finer, and every cell adds a row, even a cell without data.
const leastInterval = time.Microsecond

// checkInterval refuses a cell of the sampling grid that is too short.
func checkInterval(d time.Duration) error {
	if d > 0 && d < leastInterval {
		return fmt.Errorf("--interval %v: want at least %v, or 0 for a sample per DATA_ACK", d, leastInterval)
	}
	return notNegative("interval", d)
}

// checkSpan refuses an empty span from skip to until. Both count from the first data; 0 for
// until means the end.
func checkSpan(skip, until time.Duration) error {
	if skip >= 0 && until > 0 && until <= skip {
		return fmt.Errorf("--until %v: want more than --skip %v, or 0 for the end of the connection", until, skip)
	}
	return errors.Join(notNegative("skip", skip), notNegative("until", until))
}

func notNegative(flag string, d time.Duration) error {
	return refuse(d < 0, "--%s %v: want a time of 0 or more", flag, d)
}
