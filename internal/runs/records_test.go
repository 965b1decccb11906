package runs

import (
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/report"
)

// runFolder is a folder with a capture, and files below it.
func runFolder(t *testing.T, files map[string]string) *campaign.Input {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		assert.NilError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return &campaign.Input{Files: []string{filepath.Join(dir, "server.pcap")}}
}

// Folders host-a and host-b beside a capture, or where the user says, hold the records of its run.
// A folder without records, one of another name, and what belongs to a report count for nothing.
func TestRecordsOf(t *testing.T) {
	const limits = "add_addr_accepted 2 subflows 2\n"
	in := runFolder(t, map[string]string{"host-b/limits": limits, "host-a/notes.bin": "\x00\x01", "client/limits": limits, "more/host-a/limits": limits})
	if got := RecordsOf(in, ""); len(got) != 1 || got[0].End != report.SideB || filepath.Base(got[0].Path) != "host-b" {
		t.Errorf("beside the capture: %v", got)
	}
	if got := RecordsOf(in, "more"); len(got) != 1 || got[0].End != report.SideA {
		t.Errorf("in the folder: %v", got)
	}
	if got := RecordsOf(&campaign.Input{Files: []string{filepath.Join(filepath.Dir(in.Files[0]), "x.json")}}, ""); got != nil {
		t.Errorf("of a report: %v", got)
	}
}

// The key of figures changes with the content of the records, not with their place.
func TestKeyOfRecords(t *testing.T) {
	key := func(files map[string]string) string {
		return (&Options{}).keyOf("program", runFolder(t, files), "content")
	}
	plain, one := key(nil), key(map[string]string{"host-b/limits": "add_addr_accepted 2 subflows 2\n"})
	assert.Check(t, plain != "" && one != plain, "records change nothing in the key")
	again := key(map[string]string{"host-b/limits": "add_addr_accepted 2 subflows 2\n"})
	assert.Check(t, again == one, "the place of records changes the key")
	for _, other := range []map[string]string{{"host-b/limits": "add_addr_accepted 2 subflows 3\n"}, {"host-a/limits": "add_addr_accepted 2 subflows 2\n"}} {
		assert.Check(t, key(other) != one, "%v has the key of other records", other)
	}
}
