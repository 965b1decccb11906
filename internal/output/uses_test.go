package output_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
	"mpanalyze/internal/storage/storagetest"
)

// TestUses: an input that is an output, and two outputs that are one, are refused by whatever name,
// and nothing else is.
func TestUses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"d", "far/deep"} {
		assert.NilError(t, os.MkdirAll(dir, 0o755))
	}
	for _, file := range []string{"in", "old", "d/old.csv", "d/in.csv"} {
		put(t, file, file)
	}
	for link, to := range map[string]string{"soft": "in", "d/soft.csv": "../in", "dangling": "d/new.csv", "dir": "d", "up": "far/deep"} {
		assert.NilError(t, os.Symlink(to, link))
	}
	for link, to := range map[string]string{"hard": "in", "d/hard.svg": "old"} {
		assert.NilError(t, os.Link(to, link))
	}
	for _, c := range []struct {
		reads, writes string // a directory of tables ends in /
		want          string
	}{
		{"in", "in", "in would be written over the input in"},
		{"in", "./d/../in", "over the input in"},
		{"in", "soft", "over the input in"},
		{"soft", "hard", "over the input soft"},
		{"in", "d/", "d/soft.csv would be written over the input in"},
		{"d/in.csv", "dir/", "in.csv would be written over the input d/in.csv"},
		{"in", "old new d/new", ""},
		{"missing", "missing", ""},
		{"old", "d/", ""}, // hard.svg is no table
		{os.DevNull, os.DevNull, ""},
		{"", "new new", "first and second would write the same file, new"},
		{"", "new ./no/../new", "would write the same file"},
		{"", "new ./dir/../new", "would write the same file"},
		{"", "new up/../new", ""},
		{"", "far/new up/../new", "would write the same file"},
		{"", "old " + "d/hard.svg", "would write the same file"},
		{"", "dangling d/new.csv", "would write the same file"},
		{"", "dir/x d/x", "would write the same file"},
		{"", "not/yet/x not/yet/x", "would write the same file"},
		{"", "not/yet/x not/x", ""},
		{"", "d/ d/x.csv", "would write the same file"},
		{"", "dir/x.csv d/", "would write the same file"},
		{"", "not/yet/ not/yet/x.csv", "would write the same file"},
		{"", "d/ d/x.json", ""},
		{"", "d/ soft", "would write the same file"},
		{"", "d/ dir/", "would write the same file"},
		{"", "d/ far/", ""},
		{"", "d/ d", "would write the same file"},
		{"", os.DevNull + " " + os.DevNull, ""},
		{"", "/dev/stdout /dev/stdout", ""},
	} {
		checkUses(t, c.reads, c.writes, c.want)
	}
}

// checkUses checks files and directories that are read and written. A directory of tables ends in /.
func checkUses(t *testing.T, reads, writes, want string) {
	t.Helper()
	var uses output.Uses
	for name := range strings.FieldsSeq(reads) {
		uses.Read(name)
	}
	for i, name := range strings.Fields(writes) {
		by := []string{"first", "second", "third"}[i]
		if strings.HasSuffix(name, "/") {
			uses.WriteInto(by, name, "*.csv")
		} else {
			uses.Write(by, name)
		}
	}
	if err := uses.Check(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("reads %q, writes %q: %v, want %q", reads, writes, err, want)
	}
}

// TestUsesOfDirectories: directories of different files may be one.
func TestUsesOfDirectories(t *testing.T) {
	for _, c := range []struct {
		one, other string
		want       bool
	}{{"*.csv", "*.csv", true}, {"*.csv", "table.csv", true}, {"table.csv", "*.csv", true}, {"*.csv", "*.xpl", false}, {"a.csv", "b.csv", false}} {
		var uses output.Uses
		dir := filepath.Join(t.TempDir(), "new")
		uses.WriteInto("one", dir, "x.svg", c.one)
		uses.WriteInto("other", dir, c.other)
		if err := uses.Check(); (err != nil) != c.want {
			t.Errorf("%s and %s: %v", c.one, c.other, err)
		}
	}
}

// TestUsesOfStreams: an open file counts, and one that is written by its name as an open file is not
// replaced.
func TestUsesOfStreams(t *testing.T) {
	name := put(t, filepath.Join(t.TempDir(), "x"), "x")
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	assert.NilError(t, err)
	defer f.Close()
	for what, c := range map[string]struct {
		use  func(*output.Uses)
		want string
	}{
		"input":           {func(u *output.Uses) { u.Read(name) }, "standard output would be written over the input " + name},
		"standard input":  {func(u *output.Uses) { u.ReadStream("standard input", f) }, "standard output would be written over the input standard input"},
		"output":          {func(u *output.Uses) { u.Write("--json", name) }, "standard output and --json would write the same file"},
		"the same stream": {func(u *output.Uses) { u.Write("--json", "/dev/fd/"+string('0'+rune(f.Fd()))) }, ""},
		"nothing":         {func(*output.Uses) {}, ""},
	} {
		var uses output.Uses
		uses.WriteStream("standard output", f)
		c.use(&uses)
		if err := uses.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", what, err, c.want)
		}
	}
}

// TestUsesOfObjects: objects are known by their names.
func TestUsesOfObjects(t *testing.T) {
	m := storagetest.Use(t)
	for _, name := range []string{"s3://bucket/in.pcap", "s3://bucket/other", "s3://bucket/d/in.csv"} {
		m.Set(name, []byte("content"))
	}
	for writes, want := range map[string]string{
		"s3://bucket/other s3://bucket/none":           "",
		"s3://bucket/in.pcap":                          "would be written over the input s3://bucket/in.pcap",
		"s3://bucket/d/":                               "would be written over the input s3://bucket/d/in.csv",
		"s3://bucket/new s3://bucket/new":              "would write the same file",
		"s3://bucket/tables/ s3://bucket/tables/x.csv": "would write the same file",
	} {
		checkUses(t, "s3://bucket/in.pcap s3://bucket/d/in.csv", writes, want)
	}
}
