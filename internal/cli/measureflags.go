package cli

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/metrics"
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

// registerQoE adds the flags for the parameters of cwnd_decisions, from the paper QoE24.
func registerQoE(c *cobra.Command, q *metrics.QoE) {
	f, def := c.Flags(), metrics.DefaultQoE
	f.Float64Var(&q.Alpha, "qoe-alpha", def.Alpha, "`segments` that a decrease takes away, above the mean throughput estimate (cwnd_decisions)")
	f.Float64Var(&q.Beta, "qoe-beta", def.Beta, "`segments` that an increase adds, below that mean (cwnd_decisions)")
	f.Float64Var(&q.Gamma, "qoe-gamma", def.Gamma, "tolerance around the mean throughput estimate, as a `part` of it (cwnd_decisions)")
}

// checkQoE refuses parameters without a meaning, not-a-number too.
func checkQoE(q metrics.QoE) error {
	steps := func(flag string, n float64) error {
		return refuse(!(n >= 0) || math.IsInf(n, 1), "--%s %v: want a number of segments, 0 or more", flag, n)
	}
	return errors.Join(steps("qoe-alpha", q.Alpha), steps("qoe-beta", q.Beta),
		refuse(!(q.Gamma >= 0 && q.Gamma <= 1), "--qoe-gamma %v: want a part of the mean, 0 to 1", q.Gamma))
}
