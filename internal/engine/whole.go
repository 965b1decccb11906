package engine

import (
	"fmt"
	"os"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/storage"
)

// A capture that ends at the border of two packets looks whole. What tells that it is cut is
// its length: where the manifest has it, and that at the start against what was read.

// lengthsAsSaid refuses files of other lengths than the manifest says.
func lengthsAsSaid(in *campaign.Input) error {
	if len(in.Bytes) == 0 {
		return nil
	}
	for i, name := range in.AllFiles() {
		info, err := storage.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // it cannot be opened, which is said then, or is a pipe, which has no length
		}
		switch size := info.Size(); {
		case size < in.Bytes[i]:
			return fmt.Errorf("%s: is cut: it has %d bytes, the manifest says %d; copy it again", name, size, in.Bytes[i])
		case size > in.Bytes[i]:
			return fmt.Errorf("%s: is not the file of the manifest: it has %d bytes, the manifest says %d", name, size, in.Bytes[i])
		}
	}
	return nil
}

// beingRead is the files of a run while they are analysed.
type beingRead struct {
	in       *campaign.Input
	before   []os.FileInfo // nil for what is no file
	progress Progress
}

func startReading(in *campaign.Input) *beingRead {
	b := &beingRead{in: in}
	for _, name := range in.AllFiles() {
		info, err := storage.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			info = nil
		}
		b.before = append(b.before, info)
	}
	return b
}

// whole refuses files of which less was read than they had at the start, or pipes of which less came
// than the manifest says. What a file has gained is not at fault: it is being written.
func (b *beingRead) whole() error {
	if b.in.IsReport() {
		return nil // it is read in one piece, and JSON that is cut cannot be read
	}
	var want int64
	for i, info := range b.before {
		switch {
		case info != nil:
			want += info.Size()
		case len(b.in.Bytes) > i:
			want += b.in.Bytes[i]
		}
	}
	if read := b.progress.Bytes.Load(); read > 0 && read < want {
		return fmt.Errorf("%s: is cut: %d bytes were read of %d", b.in.AllFiles()[0], read, want)
	}
	return nil
}
