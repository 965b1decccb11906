package runs

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/results"
	"mpanalyze/internal/storage"
)

// Options says how to analyse the runs of a campaign.
type Options struct {
	Inputs     []campaign.Input
	Options    engine.Options // options of every run; Paths, Rows, Progress, and Vantage if the input has one, are set for each run
	Connection int            // id of the connection to take; [campaign.AnyConnection] for the one with the most data
	Cache      *Cache         // nil for none
	Records    string         // folder with folders that hold records of the hosts, relative to that of each capture
	Workers    int            // runs analysed at once; 0 for the number of cores
	Files      *storage.Files // what else reads the files of the runs; nil for nothing

	// Analyze replaces [engine.Analyze] in tests; nil for no replacement.
	Analyze func(context.Context, engine.Options) (*report.Document, error)
	// Done counts the runs that are finished, for a progress line; nil for none.
	Done *atomic.Int64
}

// Analyze analyses every run and keeps its figures; memory holds at most one report for
// each worker. If a run cannot be used, its outcome holds the reason. The error is the
// error of ctx, or says that the program ran out of file descriptors or memory.
func Analyze(ctx context.Context, o Options) ([]campaign.Outcome, error) {
	out := make([]campaign.Outcome, len(o.Inputs))
	hashed := o.Hashed()
	Each(ctx, o.workers(), len(o.Inputs), func(i int) {
		r, err := o.reading().result(ctx, &o.Inputs[i], o.Cache.program(), hashed[i])
		out[i] = campaign.Outcome{Run: r.Run, Err: err}
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

func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// optionsOf returns the options of one run's analysis.
func (o *Options) optionsOf(in *campaign.Input) engine.Options {
	eo := o.Options
	eo.Files = o.Files
	eo.Paths, eo.Receiver, eo.Swap = in.Files, in.Receiver, in.Swap
	eo.Several = true
	if o.workers() > 1 {
		eo.OneGoroutine = true
	}
	if in.Vantage != "" {
		eo.Vantage = in.Vantage
	}
	eo.Evidence = RecordsOf(in, o.Records)
	return eo
}

// reading returns options for a run whose files are read several times: its hash, its figures
// and its records must be of the same files.
func (o *Options) reading() *Options {
	one := *o
	if one.Files == nil {
		one.Files = &storage.Files{}
	}
	return &one
}

// result returns the figures of one run, from the cache where it has them, or an error beside what is known of
// the run; files are hashed only if hashed says so.
func (o *Options) result(ctx context.Context, in *campaign.Input, program string, hashed bool) (*results.Result, error) {
	r := &results.Result{Schema: results.SchemaName, Of: 1, Input: *in, Files: filesOf(in, o.Files), Program: program}
	if in.Problem != "" {
		return r, errors.New(in.Problem)
	}
	err := lengthsAsSaid(in, o.Files)
	if err != nil {
		return r, err
	}
	place := o.placeKey(program, in)
	if kept := o.Cache.load(place); kept != nil {
		return kept, nil
	}
	var captures []string
	if hashed {
		if r.Content, captures, err = o.contentOf(in.Files, in.Receiver); err != nil {
			return r, err
		}
	}
	r.Key = o.keyOf(program, in, r.Content)
	kept := o.Cache.load(r.Key)
	if kept == nil || kept.Content != r.Content {
		if r.Run, err = o.made(ctx, in, r.Content, captures); err == nil && r.Key != o.keyOf(program, in, r.Content) {
			r.Run, err = nil, errRecords
		}
		if err != nil {
			return r, err
		}
		o.Cache.store(r.Key, *r)
		kept = r
	}
	if o.Files.Unchanged(in.AllFiles()...) == nil {
		o.Cache.store(place, *kept)
	}
	return kept, nil
}

// errRecords says that the records of a run's hosts are not those of its key any more.
var errRecords = fmt.Errorf("its records %w", storage.ErrReplaced)

// keyOf returns the key for the figures of a run, from its content, the options and the
// program. It is empty for files without a hash, and where nobody names the program, because nothing keeps the figures.
func (o *Options) keyOf(program string, in *campaign.Input, content string) string {
	if content == "" || program == "" {
		return ""
	}
	if in.Single {
		content += " of one path"
	}
	eo := o.optionsOf(in)
	records, err := contentOfRecords(eo.Evidence, o.Files)
	if err != nil {
		return ""
	}
	eo.Evidence = nil // their content is in the key
	return keyOf(program, content+records, &eo, o.Connection)
}

// made analyses a run. content and captures are the hashes of its files. It returns
// [storage.ErrReplaced] if these are not the files that it analysed.
func (o *Options) made(ctx context.Context, in *campaign.Input, content string, captures []string) (*campaign.Run, error) {
	length, eo := lengthOf(in, o.Files), o.optionsOf(in)
	eo.Progress = &engine.Progress{}
	doc, err := o.document(ctx, in, eo)
	if two := new(engine.TwoHostsError); errors.As(err, &two) {
		return nil, fmt.Errorf("%w; name the host of each: {host} in --pattern, or columns sender and receiver in --manifest", two)
	}
	if err != nil { // also a damaged capture: its figures would be those of a shorter run
		return nil, err
	}
	// It is no error if a file has grown, because it may still be written.
	if read := eo.Progress.Bytes.Load(); read > 0 && read < length {
		return nil, fmt.Errorf("%s: is cut: %d bytes were read of %d", in.AllFiles()[0], read, length)
	}
	if content != "" {
		if err := o.unchanged(in, content); err != nil {
			return nil, err
		}
	}
	return o.runOf(in, doc, content, captures)
}

// unchanged returns [storage.ErrReplaced] unless the files of a run still have this content.
func (o *Options) unchanged(in *campaign.Input, content string) error {
	if err := o.Files.Unchanged(in.AllFiles()...); err != nil {
		return err
	}
	for _, name := range in.AllFiles() {
		info, err := storage.Stat(name)
		if err != nil || !storage.Is(name) || storage.Tag(info) != "" {
			continue
		}
		// The server has no name for a version of the object, so only the content tells.
		now, _, err := o.contentOf(in.Files, in.Receiver)
		if err == nil && now != content {
			err = fmt.Errorf("%s: %w", name, storage.ErrReplaced)
		}
		return err
	}
	return nil
}

// RunOf returns the figures of a run from a report that was made before, as [Analyze]
// does. The files are hashed if hashed says so (see [Options.Hashed]).
func (o *Options) RunOf(in *campaign.Input, doc *report.Document, hashed bool) (*campaign.Run, error) {
	if !hashed {
		return o.runOf(in, doc, "", nil)
	}
	content, captures, err := o.contentOf(in.Files, in.Receiver)
	if err != nil {
		return nil, err
	}
	return o.runOf(in, doc, content, captures)
}

// runOf takes the figures of a run from its report. content is the hash of all its
// files, captures are the hashes of each; both are empty if the files were not hashed.
func (o *Options) runOf(in *campaign.Input, doc *report.Document, content string, captures []string) (*campaign.Run, error) {
	extract, vantage := campaign.Extract, o.optionsOf(in).Vantage
	if in.Single {
		extract = campaign.ExtractSingle
	}
	run, err := extract(doc, o.Connection)
	if err != nil {
		return nil, fmt.Errorf("%s %w", strings.Join(in.AllFiles(), ", "), err)
	}
	if why := run.EndProblem(o.Options.End); in.IsReport() && why != "" {
		return nil, fmt.Errorf("%s: %s", in.Files[0], why)
	}
	run.Content = content
	at := campaign.BoundsOf(run.Names).Impossible(run.Values)
	switch {
	case !in.IsReport():
		run.Captures = slices.Concat(captures, run.Captures)
	case at >= 0:
		return nil, fmt.Errorf("%s: %s is %v, which no capture gives: the report was altered or is damaged", in.Files[0], run.Names[at], run.Values[at])
	case vantage != "" && vantage != run.Vantage:
		return nil, fmt.Errorf("%s: its captures were taken at %s, not at %s; a report keeps the place that it was made with", in.Files[0], run.Vantage, vantage)
	}
	return run, nil
}

// document reads a report, or analyses captures.
func (o *Options) document(ctx context.Context, in *campaign.Input, eo engine.Options) (*report.Document, error) {
	if in.IsReport() {
		return ReadReport(eo.Files, in.Files[0])
	}
	for _, p := range in.AllFiles() {
		if strings.HasSuffix(p, ".json") {
			return nil, fmt.Errorf("%s: a report is a run of its own and does not mix with captures", p)
		}
	}
	analyze := o.Analyze
	if analyze == nil {
		analyze = engine.Analyze
	}
	return analyze(ctx, eo)
}

// Each runs work for every i below n, on as many goroutines at once as there
// are workers, and returns when all have ended. Once ctx ends no further work
// begins.
func Each(ctx context.Context, workers, n int, work func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range max(1, min(workers, n)) {
		all.Go(func() {
			defer crash.Catch()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				work(i)
			}
		})
	}
	all.Wait()
}

// Again analyses the captures of a run once more, with other options. Of a damaged capture there are a report
// and an error.
func (o *Options) Again(ctx context.Context, in *campaign.Input, change func(*engine.Options)) (*report.Document, error) {
	if in.IsReport() {
		return nil, fmt.Errorf("%s: a report holds no series; name the capture", in.Files[0])
	}
	eo := o.optionsOf(in)
	change(&eo)
	return o.document(ctx, in, eo)
}

// AtReceiver does the same with the capture of the receiver alone. both is the report on a run of both hosts.
func (o *Options) AtReceiver(ctx context.Context, in *campaign.Input, both *report.Document, change func(*engine.Options)) (*report.Document, error) {
	return o.Again(ctx, in, func(eo *engine.Options) {
		eo.Paths, eo.Receiver, eo.Swap, eo.End = At(both, report.ReceiverHost), nil, false, ""
		change(eo)
	})
}

// At returns the files of a report on both hosts that are captures of one.
func At(both *report.Document, host report.Host) (files []string) {
	for i := range both.Captures {
		if x := &both.Captures[i]; x.Host != nil && *x.Host == host {
			files = append(files, x.File)
		}
	}
	return files
}
