package cli

import (
	"errors"
	"math"

	"github.com/spf13/cobra"

	"mpanalyze/internal/metrics"
)

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
