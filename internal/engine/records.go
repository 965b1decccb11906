package engine

import (
	"errors"

	"mpanalyze/internal/evidence"
)

// records reads the records of the hosts; nil if there are none.
func (o *Options) records() (*evidence.Records, error) {
	if len(o.Evidence) == 0 {
		return nil, nil
	}
	return evidence.Read(o.Evidence, o.Files)
}

// kernelSeries gives the sink of rows the series of the records.
func (o *Options) kernelSeries(records *evidence.Records) error {
	if records == nil || o.Rows == nil || o.Series == nil {
		return nil
	}
	selected := func(id int) bool { return o.Connection == AllConnections || o.Connection == id }
	return records.WriteSeries(evidence.Series{Sink: o.Rows, Wanted: o.Series, Selected: selected, Only: o.Direction})
}

// cutRecords adds rows of records that end too early to the error of an analysis. The report
// is whole but for these rows.
func cutRecords(records *evidence.Records, met error) error {
	if records == nil || met != nil && !Damaged(met) {
		return met
	}
	cut := records.Cut()
	if cut == nil {
		return met
	}
	var d *DamageError
	if errors.As(met, &d) {
		return &DamageError{errors.Join(d.Err, cut), d.Nothing}
	}
	return &DamageError{Err: cut}
}
