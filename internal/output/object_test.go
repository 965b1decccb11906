package output_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
	"mpanalyze/internal/storage/storagetest"
)

// temporaries has temporary files in a directory that is checked to be empty afterwards.
func temporaries(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir) // Windows
	t.Cleanup(func() { clean(t, dir) })
}

// TestObjectsAreWhole: an object appears at Commit and not before, and not after an error.
func TestObjectsAreWhole(t *testing.T) {
	temporaries(t)
	m := storagetest.Use(t)
	const name = "s3://bucket/a/x.json"
	m.Set(name, []byte("old"))
	broken := errors.New("broken")
	if err := output.Write(name, func(w io.Writer) error { return errors.Join(saying("new")(w), broken) }); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if text, _ := m.Get(name); string(text) != "old" {
		t.Errorf("after an error the object holds %q", text)
	}
	if err := output.Write(name, func(w io.Writer) error {
		err := saying("new")(w)
		if text, _ := m.Get(name); string(text) != "old" {
			t.Errorf("while it is written the object holds %q", text)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	if text, _ := m.Get(name); string(text) != "new" {
		t.Errorf("the object holds %q", text)
	}
}

func TestObjectRefused(t *testing.T) {
	temporaries(t)
	m := storagetest.Use(t)
	const name = "s3://bucket/x"
	m.Refused[name] = true
	err := output.Write(name, saying("new"))
	want := "writing s3://bucket/x: the storage refuses access (403); check the credentials"
	assert.Check(t, errors.Is(err, fs.ErrPermission) && err.Error() == want, "%v, want %s", err, want)
	names := m.Names()
	assert.Check(t, len(names) == 0, "there is %v", names)
}

// TestNoStorage: a program without storage refuses before anything is written.
func TestNoStorage(t *testing.T) {
	temporaries(t)
	_, err := output.Create("s3://bucket/x")
	_, errDir := output.OpenDir("s3://bucket/x")
	for _, err := range []error{err, errDir} {
		assert.Check(t, err != nil && strings.Contains(err.Error(), "writing s3://bucket/x: this build does not reach object storage"), "%v", err)
	}
}

// TestDirOfObjects: files of a directory may be opened again until Commit, which sends them all.
func TestDirOfObjects(t *testing.T) {
	temporaries(t)
	m := storagetest.Use(t)
	write := func(d *output.Dir, file, text string) {
		path, err := d.Path(file)
		assert.NilError(t, err)
		assert.NilError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, end := range []struct {
		how     func(*output.Dir) error
		refused string
		want    []string
		says    string
	}{
		{func(d *output.Dir) error { d.Abandon(); return nil }, "", nil, ""},
		{(*output.Dir).Commit, "s3://bucket/d/y", []string{"s3://bucket/d/x"}, "writing s3://bucket/d: y, z not written, the others are: the storage refuses access (403)"},
		{(*output.Dir).Commit, "", []string{"s3://bucket/d/x", "s3://bucket/d/y", "s3://bucket/d/z"}, ""},
	} {
		clear(m.Refused)
		m.Refused[end.refused] = true
		d, err := output.OpenDir("s3://bucket/d/")
		assert.NilError(t, err)
		for _, file := range []string{"x", "y", "z"} {
			write(d, file, "first")
			write(d, file, file)
		}
		err = end.how(d)
		if end.says == "" && err != nil || end.says != "" && (err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "d/:", "d:"), end.says)) {
			t.Errorf("%v, want %q", err, end.says)
		}
		got := m.Names()
		assert.Check(t, slices.Equal(got, end.want), "there are %v, want %v", got, end.want)
		for _, name := range m.Names() {
			if text, _ := m.Get(name); string(text) != name[len(name)-1:] {
				t.Errorf("%s holds %q", name, text)
			}
		}
	}
}
