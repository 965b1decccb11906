package cli

import (
	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// endFlag says whose capture of a run of both hosts gives the figures that both captures show.
type endFlag struct {
	end   string
	given bool
}

func (e *endFlag) register(c *cobra.Command, preset, help string) {
	c.Flags().StringVar(&e.end, "end", preset, help)
	complete(c, "end", string(report.SenderHost), string(report.ReceiverHost))
}

// endHelp is the help of --end of commands that take runs.
const endHelp = "with captures of both hosts, take what both show from this `END`: sender or receiver of the data"

// check refuses other ends. It notes whether the user gave one.
func (e *endFlag) check(c *cobra.Command) error {
	if e.given = c.Flags().Changed("end"); !e.given {
		return nil
	}
	return oneOf("end", e.end, string(report.SenderHost), string(report.ReceiverHost))
}

func (e *endFlag) host() report.Host { return report.Host(e.end) }

// checkRuns refuses an end that the user gave if no run has captures of both hosts.
func (e *endFlag) checkRuns(set *campaign.Set) error {
	return refuse(e.given && !set.AnyBoth(), "--end %s: is for captures of both hosts, and no run has them; name them by {host} in --pattern, or by columns sender and receiver in --manifest", e.end)
}
