package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// recordFolders are the names of folders beside the capture of a run that hold records of its
// hosts.
var recordFolders = []hosts.Source{{End: report.SideA, Path: "host-a"}, {End: report.SideB, Path: "host-b"}}

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
		if info, err := os.Stat(f.Path); err == nil && info.IsDir() && len(hosts.Records(f.Path)) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// contentOfRecords returns a hash of the files in folders of records; empty for no folder. files holds what
// else reads them.
func contentOfRecords(folders []hosts.Source, files *storage.Files) (string, error) {
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
			content, err := engine.HashFile(context.Background(), files, filepath.Join(f.Path, e.Name()))
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s %q %s\n", f.End, e.Name(), content)
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
