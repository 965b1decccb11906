package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/sentences"
)

// player is the flag of the player that plays the data of each direction (metric streaming).
type player struct{ metrics.Player }

func (p *player) register(c *cobra.Command) {
	f := keysVar(c, "stream", "play the data in order, and measure start-up delay and stalls (streaming): a `LIST` of keys, as in bitrate=2.5M,playout=2s").set
	f.Var((*rate)(&p.Bitrate), "bitrate", "rate at which the data is played, in bit/s, as in 500k or 4M")
	f.DurationVar(&p.Playout, "playout", metrics.DefaultPlayout, "playing time that must be in order before the player starts, and before it resumes after a stall")
	f.DurationVar(&p.MessageGap, "gap", 0, "a pause of this length ends a message; default: derived from the round trips (mpanalyze explain streaming)")
}

// options checks the flag. Without it nothing is played.
func (p *player) options(c *cobra.Command) (metrics.Player, error) {
	if !c.Flags().Changed("stream") {
		return metrics.Player{}, nil
	}
	return p.Player, errors.Join(notNegative("stream playout", p.Playout), notNegative("stream gap", p.MessageGap),
		refuse(p.Bitrate == 0, "--stream needs bitrate=RATE, the rate at which the data is played"))
}

// rate is a rate in bit/s on the command line, as in 4M.
type rate float64

var errRate = errors.New("want a rate of 1 bit/s or more, as in 500k, 4M or 2.5M")

// Set reads a rate. The package pflag calls it.
func (r *rate) Set(text string) error {
	number, scale := text, 1.
	for suffix, by := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if n, ok := strings.CutSuffix(text, suffix); ok {
			number, scale = n, by
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if *r = rate(v * scale); err != nil || !(*r >= 1) || math.IsInf(float64(*r), 1) {
		return errRate
	}
	return nil
}

func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

// Type returns the word that the help shows for the value.
func (*rate) Type() string { return "RATE" }

// registerExtra adds the flag of metrics that are derived only if the user asks for them. A command
// without fairness gives nil.
func registerExtra(c *cobra.Command, regret, fairness *bool) {
	f := keysVar(c, "extra", "derive also what few need: a `LIST` of keys").set
	f.BoolVar(regret, "regret", false, "compare the choices of the packet scheduler with ECF's estimates (scheduler_regret); takes up to a twelfth more CPU time")
	if fairness != nil {
		f.BoolVar(fairness, "fairness", false, "compare Multipath TCP with plain TCP on the same paths (fairness in the report); --label says which paths are the same")
	}
}

// further is the flags of metrics that are derived only if the user asks for them, and of the
// remedies in verdicts.
type further struct{ player }

func (o *further) register(c *cobra.Command, eo *engine.Options) {
	o.player.register(c)
	registerExtra(c, &eo.Regret, &eo.Fairness)
	registerKernel(c, eo)
}

// apply checks the flags and puts them into the engine's options.
func (o *further) apply(c *cobra.Command, eo *engine.Options) (err error) {
	eo.Player, err = o.player.options(c)
	one := refuse(eo.Fairness && eo.Connection != engine.AllConnections, "--extra fairness and --connection do not go together: fairness compares all connections")
	return errors.Join(err, one)
}

// registerKernel adds the flag that says which kernel remedies are for.
func registerKernel(c *cobra.Command, o *engine.Options) {
	c.Flags().Func("kernel", "say what to do in settings that this `kernel` has: a version as of uname -r (6.12), omr (OpenMPTCProuter) or 0.9x (multipath-tcp.org); default: the versions are said", func(text string) (err error) {
		o.Kernel, err = sentences.ParseKernel(text)
		return err
	})
	completeFrom(c, "kernel", sentences.Kernels)
}
