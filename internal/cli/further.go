package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/sentences"
)

// player holds the flags of the player that plays the data of each direction (metric streaming).
type player struct {
	bitrate string
	playout time.Duration
	gap     time.Duration
}

func (p *player) register(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&p.bitrate, "bitrate", "", "play the data in order at this `RATE` in bit/s, as in 500k or 4M, and measure start-up delay and stalls (streaming)")
	f.DurationVar(&p.playout, "playout", metrics.DefaultPlayout, "with --bitrate: how much playing time must be in order before the player starts, and before it resumes after a stall")
	f.DurationVar(&p.gap, "message-gap", 0, "with --bitrate: a pause of this length ends a message; default: derived from the round trips (mpanalyze explain streaming)")
}

// options reads the flags.
func (p *player) options(c *cobra.Command) (out metrics.Player, err error) {
	err = errors.Join(notNegative("playout", p.playout), notNegative("message-gap", p.gap))
	if p.bitrate == "" {
		for _, name := range []string{"playout", "message-gap"} {
			err = errors.Join(err, refuse(c.Flags().Changed(name), "--%s needs --bitrate RATE, the rate at which the data is played", name))
		}
		return out, err
	}
	rate, e := parseRate(p.bitrate)
	if e != nil {
		err = errors.Join(err, fmt.Errorf("--bitrate %s: %w", p.bitrate, e))
	}
	return metrics.Player{Bitrate: rate, Playout: p.playout, MessageGap: p.gap}, err
}

// parseRate reads a rate in bit/s, as in 4M.
func parseRate(text string) (float64, error) {
	number, scale := text, 1.
	for suffix, by := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if n, ok := strings.CutSuffix(text, suffix); ok {
			number, scale = n, by
		}
	}
	rate, err := strconv.ParseFloat(number, 64)
	if rate *= scale; err != nil || !(rate >= 1) || math.IsInf(rate, 1) {
		return 0, errors.New("want a rate of 1 bit/s or more, as in 500k, 4M or 2.5M")
	}
	return rate, nil
}

// registerRegret adds the flag --regret, which judges the choices of the scheduler.
func registerRegret(c *cobra.Command, asked *bool) {
	c.Flags().BoolVar(asked, "regret", false, "compare the choices of the packet scheduler with ECF's estimates (scheduler_regret); takes up to a twelfth more CPU time")
}

// further holds the flags of metrics that are derived only if the user asks for them, and of
// the remedies in verdicts.
type further struct {
	player
	kernel kernelFlag
}

func (o *further) register(c *cobra.Command, eo *engine.Options) {
	o.player.register(c)
	registerRegret(c, &eo.Regret)
	o.kernel.register(c)
	c.Flags().BoolVar(&eo.Fairness, "fairness", false, "compare Multipath TCP with plain TCP on the same paths (fairness in the report); --label says which paths are the same")
}

// apply checks the flags and puts them into the engine's options.
func (o *further) apply(c *cobra.Command, eo *engine.Options) (err error) {
	eo.Player, err = o.player.options(c)
	one := refuse(eo.Fairness && eo.Connection != engine.AllConnections, "--fairness and --connection do not go together: fairness compares all connections")
	return errors.Join(err, one, o.kernel.apply(eo))
}

// kernelFlag is the flag that says which kernel remedies are for.
type kernelFlag string

func (k *kernelFlag) register(c *cobra.Command) {
	c.Flags().StringVar((*string)(k), "kernel", "", "say what to do in settings that this `kernel` has: a version as of uname -r (6.12), omr (OpenMPTCProuter) or 0.9x (multipath-tcp.org); default: the versions are said")
	completeFrom(c, "kernel", sentences.Kernels)
}

// apply checks the flag and gives it to the engine.
func (k *kernelFlag) apply(o *engine.Options) (err error) {
	if o.Kernel, err = sentences.ParseKernel(string(*k)); err != nil {
		return fmt.Errorf("--kernel %w", err)
	}
	return nil
}
