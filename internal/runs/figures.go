package runs

import (
	"context"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/results"
	"mpanalyze/internal/storage"
)

// Figures analyses one run and returns its figures, or the reason why there are none.
// program identifies the build of the program. The error is the error of ctx, or says
// that the program ran out of file descriptors or memory. Then it says nothing about
// the run.
func (o *Options) Figures(ctx context.Context, in *campaign.Input, program string) (*results.Result, error) {
	r := &results.Result{
		Schema: results.Schema, Input: *in, Files: filesOf(in),
		Program: program, MadeBy: o.Options.MadeBy(), Options: keyOf(program, "options", &o.Options, o.Connection),
		Selection: o.Connection, MaxMemory: o.Options.MaxState,
	}
	run, content, err := o.figures(ctx, in)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case crash.Exhausted(err):
		return nil, err
	case err != nil:
		r.Skipped = err.Error()
	default:
		r.Run = run
	}
	r.Content, r.Key = content, o.keyOf(program, in, content)
	return r, nil
}

// figures does what [Options.run] does without a cache. It returns the hash of
// the files even if they have no figures.
func (o *Options) figures(ctx context.Context, in *campaign.Input) (*campaign.Run, string, error) {
	content, captures, err := o.content(in, true)
	if err != nil {
		return nil, "", err
	}
	run, err := o.made(ctx, in, content, captures)
	return run, content, err
}

// Current reports whether [Options.Figures] would return the same result,
// because content, options and program are the same. Files with the same size and
// modification time, and the same tag in object storage, have the same content. For
// other files the hash decides.
func (o *Options) Current(r *results.Result, in *campaign.Input, program string) bool {
	if r == nil || r.Key == "" || lengthsAsSaid(in) != nil || r.Key != o.keyOf(program, in, r.Content) {
		return false
	}
	files := filesOf(in)
	if len(files) != len(r.Files) || len(files) == 0 {
		return false
	}
	same := true
	for i := range files {
		if files[i].Size != r.Files[i].Size {
			return false
		}
		same = same && files[i] == r.Files[i]
	}
	if same {
		return true
	}
	content, _, err := o.Cache.contentOf(in.Files, in.Receiver)
	return err == nil && content == r.Content
}

// filesOf describes the files of a run. It returns none if one of them does not exist.
func filesOf(in *campaign.Input) (out []results.File) {
	for _, name := range in.AllFiles() {
		info, err := storage.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		out = append(out, results.File{Size: info.Size(), Changed: info.ModTime().UnixNano(), Tag: storage.Tag(info)})
	}
	return out
}
