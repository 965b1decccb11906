package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"mpanalyze/internal/metrics"
)

// registerQoE adds the parameters of the decisions of QoE24.
func registerQoE(c *cobra.Command, q *metrics.QoE) {
	f, def := c.Flags(), metrics.DefaultQoE
	f.Float64Var(&q.Alpha, "qoe-alpha", def.Alpha, "`part` of the congestion window that a decrease takes away (cwnd_decisions)")
	f.Float64Var(&q.Beta, "qoe-beta", def.Beta, "`segments` that an increase adds (cwnd_decisions)")
	f.Float64Var(&q.Gamma, "qoe-gamma", def.Gamma, "tolerance around the mean throughput estimate, as a `part` of it (cwnd_decisions)")
}

// checkQoE refuses parameters without a meaning; what is no number fails too.
func checkQoE(q metrics.QoE) error {
	var errs []error
	if !(q.Alpha >= 0 && q.Alpha <= 1) {
		errs = append(errs, fmt.Errorf("--qoe-alpha %v: want a part of the window, 0 to 1", q.Alpha))
	}
	if !(q.Beta >= 0 && q.Beta <= maxBeta) {
		errs = append(errs, fmt.Errorf("--qoe-beta %v: want a number of segments, 0 to %d", q.Beta, maxBeta))
	}
	if !(q.Gamma >= 0 && q.Gamma <= 1) {
		errs = append(errs, fmt.Errorf("--qoe-gamma %v: want a part of the mean, 0 to 1", q.Gamma))
	}
	return errors.Join(errs...)
}

// maxBeta is a window of 1 GiB in the smallest segments: larger steps would be
// mistakes.
const maxBeta = 1 << 24
