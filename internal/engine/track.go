package engine

import (
	"context"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
)

// Track reads the captures and offers every connection to the modules of o,
// with the captured part of each payload; it computes no metrics. The document
// tells of the captures and warnings only. Where a capture is damaged or ctx
// ends, it comes with a [DamageError].
func Track(ctx context.Context, o Options) (*report.Document, error) {
	p, err := open(ctx, o)
	if err != nil {
		return nil, &InputError{err}
	}
	defer p.close()
	p.keep = true
	table := conn.NewTable(conn.Options{Vantage: vantage(o.Vantage), MaxState: o.MaxState}, o.Modules...)
	stop := p.run(ctx, table)
	table.Finish()
	return p.document(table), p.outcome(stop)
}
