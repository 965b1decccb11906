package runs

import (
	"context"
	"fmt"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// Rows analyses the captures of a run once more and gives the rows of the wanted series to a
// sink, as analyze does.
func (o *Options) Rows(ctx context.Context, in *campaign.Input, series func(string) bool, sink report.RowSink) error {
	if in.IsReport() {
		return fmt.Errorf("%s: a report holds no series; name the capture", in.Files[0])
	}
	if isLog(in) {
		return fmt.Errorf("%s: a log of ss alone has no series here; name the capture", in.Files[0])
	}
	eo := o.optionsOf(in)
	eo.Rows, eo.Series, eo.Changes = sink, series, true
	_, err := o.document(ctx, in, eo)
	return err
}
