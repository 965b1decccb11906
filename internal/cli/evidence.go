package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
)

// records holds the flag that names records of the hosts.
type records struct{ evidence []string }

func (r *records) register(c *cobra.Command) {
	c.Flags().StringArrayVar(&r.evidence, "evidence", nil, "records of a host (ss, nstat, ip mptcp and the like): a file or folder, `"+recordForm+"`; may be repeated")
	reads(c, "evidence")
}

// recordForm is the form of a value of --evidence.
const recordForm = "[a=|b=]PATH"

// recordSource reads a value of --evidence.
func recordSource(text string) hosts.Source {
	if end, path, found := strings.Cut(text, "="); found && (end == string(report.SideA) || end == string(report.SideB)) {
		return hosts.Source{End: report.Side(end), Path: path}
	}
	return hosts.Source{Path: text}
}

// apply checks the flag and gives the records to the engine.
func (r *records) apply(o *engine.Options) error {
	for _, text := range r.evidence {
		s := recordSource(text)
		if s.Path == "" {
			return fmt.Errorf("--evidence %q: want a file or folder, as in b=host-server", text)
		}
		o.Evidence = append(o.Evidence, s)
	}
	return nil
}

// registerRecords adds the flag of plot, which takes the records of one session or those of each run.
func (o *plotOptions) registerRecords(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.evidence, "evidence", nil, "records of the hosts: of one session a file or folder, `"+recordForm+"`; may be repeated; where runs have names, a folder relative to that of each capture, whose folders host-a and host-b hold them")
	runsFrom(c, "evidence")
}

// checkRecords refuses series of records without records.
func (o *plotOptions) checkRecords() error {
	for _, d := range o.drawings {
		for _, name := range d.metrics {
			if len(o.evidence) == 0 && slices.Contains(evidence.SeriesNames(), name) {
				return fmt.Errorf("--metric %s: it comes from records of the hosts; give them with --evidence", name)
			}
		}
	}
	return nil
}

// takeRecords finds out whether the records are those of one session or of each run. It refuses those
// of one session for several runs, and those that belong to none of the runs.
func (o *plotOptions) takeRecords(inputs []campaign.Input) error {
	if len(o.evidence) == 0 || len(inputs) == 1 && inputs[0].Scenario == "" {
		return nil
	}
	dir := o.evidence[0]
	if len(o.evidence) > 1 || recordSource(dir).End != "" {
		return fmt.Errorf("--evidence %s belongs to one session, and the command line names runs; want one folder, relative to that of each capture: --evidence . takes the folders host-a and host-b beside it", strings.Join(o.evidence, " --evidence "))
	}
	o.recordsDir, o.evidence = dir, nil
	if !slices.ContainsFunc(inputs, func(in campaign.Input) bool { return len(runs.RecordsOf(&in, dir)) > 0 }) {
		return fmt.Errorf("--evidence %s: no run has a folder host-a or host-b with records there; it is a path from the folder of the capture", dir)
	}
	return nil
}

// recordFiles returns the files that the records of one session, or of the runs, are in.
func (o *plotOptions) recordFiles(inputs []campaign.Input) (names []string) {
	for _, text := range o.evidence {
		names = append(names, hosts.Records(recordSource(text).Path)...)
	}
	return append(names, filesRead(inputs, o.recordsDir)...)
}
