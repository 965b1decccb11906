package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/storage"
)

// recordFolders are the names of folders beside the capture of a run that hold records of its
// hosts.
var recordFolders = []hosts.Source{{End: hosts.EndA, Path: "host-a"}, {End: hosts.EndB, Path: "host-b"}}

// RecordsOf returns the records of a run: those in folders of these names in dir, a path that is
// relative to the folder of its capture. A folder without a record, as one with captures alone,
// counts for none.
func RecordsOf(in *campaign.Input, dir string) (out []hosts.Source) {
	if len(in.Files) == 0 || in.IsReport() || in.Files[0] == "-" || storage.Is(in.Files[0]) {
		return nil
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(filepath.Dir(in.Files[0]), dir)
	}
	for _, f := range recordFolders {
		f.Path = filepath.Join(dir, f.Path)
		if info, err := os.Stat(f.Path); err == nil && info.IsDir() && hosts.Hold(f.Path) {
			out = append(out, f)
		}
	}
	return out
}

// contentOfRecords returns a hash of the files in folders of records; empty for no folder.
func contentOfRecords(folders []hosts.Source) (string, error) {
	if len(folders) == 0 {
		return "", nil
	}
	h := sha256.New()
	for _, f := range folders {
		entries, err := os.ReadDir(f.Path)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() {
				continue
			}
			fmt.Fprintf(h, "%s %q\n", f.End, e.Name())
			if err := addContent(h, filepath.Join(f.Path, e.Name())); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// addContent adds the length and the content of a file to a hash.
func addContent(to io.Writer, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	fmt.Fprintf(to, "%d\n", info.Size())
	_, err = io.Copy(to, f)
	return err
}
