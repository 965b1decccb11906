package runs

import (
	"fmt"

	"mpanalyze/internal/campaign"
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

// lengthOf returns the bytes of a run before it is read: of its files, and of pipes what the manifest says. A
// report is read as a whole, and JSON that is cut cannot be parsed.
func lengthOf(in *campaign.Input, files *storage.Files) (n int64) {
	if in.IsReport() {
		return 0
	}
	for i, name := range in.AllFiles() {
		info, err := files.Stat(name)
		switch {
		case err == nil && info.Mode().IsRegular():
			n += info.Size()
		case len(in.Bytes) > i:
			n += in.Bytes[i]
		}
	}
	return n
}
