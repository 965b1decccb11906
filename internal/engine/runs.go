package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/report"
)

// CampaignOptions says how to analyse the runs of a campaign.
type CampaignOptions struct {
	Inputs     []campaign.Input
	Options    Options // of every run, but for Paths, Vantage where the input has one, Rows and Progress
	Connection int     // id of the connection to take; [campaign.AnyConnection] for the one with the most data
	Cache      *Cache  // nil for none
	Workers    int     // runs analysed at once; 0 for the number of cores

	// Analyze replaces [Analyze] in tests; nil for that.
	Analyze func(context.Context, Options) (*report.Document, error)
	// Done counts the runs that are through, for a progress line; nil for none.
	Done *atomic.Int64
}

// Runs analyses every run and keeps its figures; memory holds at most one report for
// each worker. The outcome of a run that cannot be used holds the reason. The error is that of ctx, or says that the program ran out of file
// descriptors or memory.
func Runs(ctx context.Context, o CampaignOptions) ([]campaign.Outcome, error) {
	if o.Analyze == nil {
		o.Analyze = Analyze
	}
	out := make([]campaign.Outcome, len(o.Inputs))
	hashed := o.hashed()
	Each(ctx, o.workers(), len(o.Inputs), func(i int) {
		run, err := o.run(ctx, &o.Inputs[i], hashed[i])
		out[i] = campaign.Outcome{Run: run, Err: err}
		if o.Done != nil {
			o.Done.Add(1)
		}
	})
	for i := range out {
		if ctx.Err() == nil && crash.Exhausted(out[i].Err) {
			return nil, out[i].Err
		}
	}
	return out, ctx.Err()
}

func (o *CampaignOptions) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// optionsOf returns the options of one run's analysis.
func (o *CampaignOptions) optionsOf(in *campaign.Input) Options {
	eo := o.Options
	eo.Paths = in.Files
	if o.workers() > 1 {
		eo.oneGoroutine = true
	}
	if in.Vantage != "" {
		eo.Vantage = in.Vantage
	}
	return eo
}

// run returns the figures of one run, from the cache where it has them. Without a
// cache the files are hashed only if hashed says so.
func (o *CampaignOptions) run(ctx context.Context, in *campaign.Input, hashed bool) (*campaign.Run, error) {
	eo := o.optionsOf(in)
	var content string
	if hashed {
		var err error
		if content, err = o.Cache.contentOf(in.Files); err != nil {
			return nil, err
		}
	}
	key := o.Cache.key(content, &eo, o.Connection)
	if run := o.Cache.load(key); run != nil {
		return run, nil
	}
	doc, err := o.document(ctx, eo)
	if err != nil {
		return nil, err
	}
	run, err := campaign.Extract(doc, o.Connection)
	if err != nil {
		return nil, fmt.Errorf("%s %w", strings.Join(in.Files, ", "), err)
	}
	run.Content = content
	o.Cache.store(key, run)
	return run, nil
}

// document reads a report, or analyses captures. A damaged capture is an
// error: its figures are those of a shorter run.
func (o *CampaignOptions) document(ctx context.Context, eo Options) (*report.Document, error) {
	if len(eo.Paths) == 1 && strings.HasSuffix(eo.Paths[0], ".json") {
		return readReport(eo.Paths[0])
	}
	for _, p := range eo.Paths {
		if strings.HasSuffix(p, ".json") {
			return nil, fmt.Errorf("%s: a report is a run of its own and does not mix with captures", p)
		}
	}
	doc, err := o.Analyze(ctx, eo)
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// readReport reads what analyze --json wrote.
func readReport(file string) (*report.Document, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc := &report.Document{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("%s: not a report: %w; analyze --json=FILE writes one", file, err)
	}
	if doc.Schema != report.SchemaName {
		return nil, fmt.Errorf("%s: not a report of this program: schema is %q, not %q", file, doc.Schema, report.SchemaName)
	}
	if err := plausible(doc); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, c := range doc.Captures {
		if c.Truncated {
			return nil, damagedReport(file, c)
		}
	}
	return doc, nil
}

func damagedReport(file string, c report.Capture) error {
	why := errors.New("the file ends inside a packet")
	if c.Damage != nil {
		why = errors.New(c.Damage.Message)
	}
	return fmt.Errorf("%s: its capture %s is damaged: %w", file, c.File, why)
}
