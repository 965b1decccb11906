package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
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

// checkSpan refuses an empty span of time; 0 for to means the end.
func checkSpan(from, to time.Duration) error {
	return errors.Join(notNegative("from", from), notNegative("to", to),
		refuse(from >= 0 && to > 0 && to <= from, "--to %v: want more than --from %v, or 0 for the end of the connection", to, from))
}

func notNegative(flag string, d time.Duration) error {
	return refuse(d < 0, "--%s %v: want a time of 0 or more", flag, d)
}

// qoeFlag is the flag with the parameters of cwnd_decisions, from the paper QoE24.
type qoeFlag metrics.QoE

func registerQoE(c *cobra.Command, q *metrics.QoE) {
	*q = metrics.DefaultQoE
	c.Flags().Var((*qoeFlag)(q), "qoe", "parameters of cwnd_decisions: the segments that a decrease takes away above the mean throughput estimate, those that an increase adds below it, and the tolerance around it, as a part of it")
}

// Set reads the three numbers. The package pflag calls it.
func (q *qoeFlag) Set(text string) error {
	words, n := strings.Split(text, ","), [3]float64{}
	bad := len(words) != len(n)
	for i := range min(len(words), len(n)) {
		var err error
		n[i], err = strconv.ParseFloat(words[i], 64)
		bad = bad || err != nil || !(n[i] >= 0) || math.IsInf(n[i], 1)
	}
	*q = qoeFlag{n[0], n[1], n[2]}
	return refuse(bad || q.Gamma > 1, "want two numbers of segments, 0 or more, and a part of the mean, 0 to 1, as in %v", (*qoeFlag)(&metrics.DefaultQoE))
}

func (q *qoeFlag) String() string { return fmt.Sprintf("%v,%v,%v", q.Alpha, q.Beta, q.Gamma) }

// Type returns the word that the help shows for the value.
func (*qoeFlag) Type() string { return "A,B,G" }
