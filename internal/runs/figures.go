package runs

import (
	"context"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/results"
	"mpanalyze/internal/storage"
)

// Figures analyses one run and returns its figures, or the reason why there are none.
// program identifies the build of the program. The error is the error of ctx, or says
// that the program ran out of file descriptors or memory. Then it says nothing about
// the run. A result whose Again is true says nothing about it, either.
func (o *Options) Figures(ctx context.Context, in *campaign.Input, program string) (*results.Result, error) {
	r, err := o.reading().result(ctx, in, program, true)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case crash.Exhausted(err):
		return nil, err
	case err != nil:
		r.Skipped, r.Again = err.Error(), storage.Temporary(err)
	}
	if r.Again { // nothing is known of the content
		r.Content, r.Key = "", ""
	}
	return r, nil
}

// Current reports whether [Options.Figures] would return the same result,
// because content, options and program are the same. Files with the same size and
// modification time, and the same tag in object storage, have the same content. For
// other files the hash decides.
func (o *Options) Current(r *results.Result, in *campaign.Input, program string) bool {
	if r == nil || r.Key == "" || lengthsAsSaid(in, nil) != nil || r.Key != o.keyOf(program, in, r.Content) {
		return false
	}
	files := filesOf(in, nil)
	sameSize := func(a, b results.File) bool { return a.Size == b.Size }
	switch {
	case len(files) == 0 || !slices.EqualFunc(files, r.Files, sameSize):
		return false
	case slices.Equal(files, r.Files):
		return true
	}
	content, _, err := o.reading().contentOf(in.Files, in.Receiver)
	return err == nil && content == r.Content
}

// filesOf describes the files of a run. It returns none if one of them does not exist.
func filesOf(in *campaign.Input, files *storage.Files) (out []results.File) {
	for _, name := range in.AllFiles() {
		info, err := files.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		out = append(out, results.File{Size: info.Size(), Changed: info.ModTime().UnixNano(), Tag: storage.Tag(info)})
	}
	return out
}
