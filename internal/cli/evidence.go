package cli

import (
	"errors"
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

// registerRecordsDir adds the flag that names the folder with the records of each run.
func registerRecordsDir(c *cobra.Command, dir *string, without string) {
	c.Flags().StringVar(dir, "evidence-dir", "", "`DIR`ectory, relative to that of each capture, whose folders host-a and host-b hold records of the hosts; default: "+without)
	runsFrom(c, "evidence-dir")
}

// hasRecords reports whether the user named records.
func (o *plotOptions) hasRecords() bool { return len(o.evidence) > 0 || o.recordsDir != "" }

// checkRecords refuses series of records without records.
func (o *plotOptions) checkRecords() error {
	if len(o.evidence) > 0 && o.recordsDir != "" {
		return errors.New("--evidence names records of one run, --evidence-dir those of each run; want one of them")
	}
	if o.hasRecords() {
		return nil
	}
	for _, d := range o.drawings {
		for _, name := range d.metrics {
			if slices.Contains(evidence.SeriesNames(), name) {
				return fmt.Errorf("--metric %s: it comes from records of the hosts; give them with --evidence, or those of each run with --evidence-dir", name)
			}
		}
	}
	return nil
}

// checkRunRecords refuses records that belong to none of the runs, and those of one run for several.
func (o *plotOptions) checkRunRecords(inputs []campaign.Input) error {
	if len(inputs) > 1 && len(o.evidence) > 0 {
		return errors.New("--evidence belongs to one run, and the command line has several; --evidence-dir . takes the folders host-a and host-b beside the capture of each run")
	}
	if o.recordsDir == "" {
		return nil
	}
	for i := range inputs {
		if len(runs.RecordsOf(&inputs[i], o.recordsDir)) > 0 {
			return nil
		}
	}
	return fmt.Errorf("--evidence-dir %s: no run has a folder host-a or host-b with records there; it is a path from the folder of the capture", o.recordsDir)
}

// runRecords gives the engine the records of a run.
func (o *plotOptions) runRecords(in *campaign.Input, eo *engine.Options) {
	if o.recordsDir != "" {
		eo.Evidence = runs.RecordsOf(in, o.recordsDir)
	}
}
