package cli

import (
	"errors"
	"fmt"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/runs"
)

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
