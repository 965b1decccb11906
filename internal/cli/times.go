package cli

import (
	"errors"
	"fmt"
	"time"
)

// leastInterval is the shortest cell of a sampling grid: stamps are hardly finer,
// and cells without data are rows of their own.
const leastInterval = time.Microsecond

// checkInterval refuses a cell of the sampling grid that is too short.
func checkInterval(d time.Duration) error {
	if d > 0 && d < leastInterval {
		return fmt.Errorf("--interval %v: want at least %v, or 0 for a sample per DATA_ACK", d, leastInterval)
	}
	return notNegative("interval", d)
}

// checkSpan refuses a span from skip to until, after the first data, that is empty; until
// 0 is the end.
func checkSpan(skip, until time.Duration) error {
	if skip >= 0 && until > 0 && until <= skip {
		return fmt.Errorf("--until %v: want more than --skip %v, or 0 for the end of the connection", until, skip)
	}
	return errors.Join(notNegative("skip", skip), notNegative("until", until))
}

func notNegative(flag string, d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("--%s %v: want a time of 0 or more", flag, d)
	}
	return nil
}
