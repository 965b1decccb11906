package runs

import (
	"fmt"
	"os"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/storage"
)

// A capture that ends between two packets looks whole. Only its length can show that it
// was cut: the length in the manifest, or the length at the start compared with what
// was read.

// lengthsAsSaid refuses files whose lengths differ from the manifest.
func lengthsAsSaid(in *campaign.Input, files *storage.Files) error {
	if len(in.Bytes) == 0 {
		return nil
	}
	for i, name := range in.AllFiles() {
		info, err := files.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			continue // it cannot be opened, which gives an error later, or it is a pipe without a length
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
	before   []os.FileInfo // nil for an input that is not a file
	progress engine.Progress
}

func startReading(in *campaign.Input, files *storage.Files) *beingRead {
	b := &beingRead{in: in}
	for _, name := range in.AllFiles() {
		info, err := files.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			info = nil
		}
		b.before = append(b.before, info)
	}
	return b
}

// whole refuses files if less was read than they had at the start, and pipes if less
// came than the manifest says. It is not an error if a file has grown, because it may
// still be written.
func (b *beingRead) whole() error {
	if b.in.IsReport() {
		return nil // a report is read as a whole, and JSON that is cut cannot be parsed
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
