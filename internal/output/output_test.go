package output_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/output"
)

// text returns what a file holds, and "none" where there is no file.
func text(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "none"
	}
	assert.NilError(t, err)
	return string(b)
}

func put(t *testing.T, name, content string) string {
	t.Helper()
	err := os.WriteFile(name, []byte(content), 0o640)
	if err == nil {
		err = os.Chmod(name, 0o640) // the umask may take the group's right away
	}
	assert.NilError(t, err)
	return name
}

func saying(s string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, s); return err }
}

// clean fails where a directory holds something that is not whole.
func clean(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	assert.NilError(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), output.Prefix) {
			t.Errorf("%s is left behind", e.Name())
		}
	}
}

// openDir opens a directory for files and makes some in it, which all hold one text.
func openDir(t *testing.T, dir, content string, names ...string) *output.Dir {
	t.Helper()
	d, err := output.OpenDir(dir)
	assert.NilError(t, err)
	for _, name := range names {
		f, err := d.Create(name)
		assert.NilError(t, err)
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return d
}

func TestWriteReplacesWholeFiles(t *testing.T) {
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "old"), "old")
	if err := output.Write(name, func(w io.Writer) error {
		if err := saying("new")(w); err != nil {
			return err
		}
		if got := text(t, name); got != "old" {
			t.Errorf("while the new file is written the old one holds %q", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if got := text(t, name); got != "new" {
		t.Errorf("the file holds %q", got)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, permissions %v; want those of the old file", err, info.Mode().Perm())
	}
	clean(t, dir)
}

// TestWriteFails: after an error, and after a panic, the old file is there, or none.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	old, none := put(t, filepath.Join(dir, "old"), "old"), filepath.Join(dir, "none")
	broken := errors.New("broken")
	for _, name := range []string{old, none} {
		before := text(t, name)
		if err := output.Write(name, func(w io.Writer) error { return errors.Join(saying("new")(w), broken) }); !errors.Is(err, broken) {
			t.Errorf("error %v", err)
		}
		func() {
			defer func() { _ = recover() }()
			_ = output.Write(name, func(io.Writer) error { panic("fault") })
		}()
		got := text(t, name)
		assert.Check(t, got == before, "the file holds %q, was %q", got, before)
	}
	clean(t, dir)
	made := filepath.Join(dir, "no", "such")
	assert.NilError(t, output.Write(made, saying("folder")))
	assert.Check(t, text(t, made) == "folder", "the folder of an output is made")
	err := output.Write(filepath.Join(old, "such"), saying(""))
	if !errors.As(err, new(*output.Error)) || !strings.Contains(err.Error(), filepath.Join("old", "such")) || strings.Contains(err.Error(), output.Prefix) {
		t.Errorf("error %v, want one that names the file", err)
	}
}

// TestProtectedFile: a file that may not be written is not replaced either.
func TestProtectedFile(t *testing.T) {
	name := put(t, filepath.Join(t.TempDir(), "kept"), "kept")
	assert.NilError(t, os.Chmod(name, 0o440))
	if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("root may write everything; TestProtectedFileOfRoot runs this as nobody")
	}
	if err := output.Write(name, saying("new")); !errors.Is(err, fs.ErrPermission) || text(t, name) != "kept" {
		t.Errorf("error %v, the file holds %q", err, text(t, name))
	}
}

// TestLinksStay: what a symbolic link names is replaced, or made, not the link.
func TestLinksStay(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"far", "near"} {
		assert.NilError(t, os.Mkdir(filepath.Join(dir, name), 0o755))
	}
	put(t, filepath.Join(dir, "far", "old"), "old")
	for _, of := range [][2]string{{"a", "../far/old"}, {"b", "../far/new"}, {"c", "a"}} {
		link, to := of[0], of[1]
		name := filepath.Join(dir, "near", link)
		assert.NilError(t, os.Symlink(to, name))
		assert.Check(t, output.Write(name, saying(link)))
		info, err := os.Lstat(name)
		assert.Check(t, err == nil && info.Mode().Type() == fs.ModeSymlink, "%s is no link any more", link)
		got := text(t, name)
		assert.Check(t, got == link, "%s leads to %q", link, got)
	}
	loop := filepath.Join(dir, "loop")
	assert.NilError(t, os.Symlink("loop", loop))
	if err := output.Write(loop, saying("")); err == nil {
		t.Error("wrote into a link to itself")
	}
	if err := output.Write(dir, saying("")); err == nil {
		t.Error("wrote over a directory")
	}
}

func TestDirAppearsWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for round, content := range []string{"first", "second"} {
		d := openDir(t, dir, content, "x", "y")
		for _, name := range []string{"x", "y"} {
			if got, want := text(t, filepath.Join(dir, name)), []string{"none", "first"}[round]; got != want {
				t.Errorf("before Commit %s holds %q, want %q", name, got, want)
			}
		}
		assert.NilError(t, d.Commit())
		for _, name := range []string{"x", "y"} {
			if got := text(t, filepath.Join(dir, name)); got != content {
				t.Errorf("%s holds %q, want %q", name, got, content)
			}
		}
		clean(t, dir)
	}
}

// TestDirAbandoned: a directory is as it was, and one that was made is gone.
func TestDirAbandoned(t *testing.T) {
	old := t.TempDir()
	put(t, filepath.Join(old, "x"), "old")
	fresh := filepath.Join(old, "fresh")
	for _, dir := range []string{fresh, old} {
		openDir(t, dir, "new", "x").Abandon()
	}
	clean(t, old)
	got := text(t, filepath.Join(old, "x"))
	assert.Check(t, got == "old", "the old file holds %q", got)
	if _, err := os.Stat(fresh); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the directory is left: %v", err)
	}
}

// TestDirNamesWhatIsMissing: a file that cannot have its name is named.
func TestDirNamesWhatIsMissing(t *testing.T) {
	dir := t.TempDir()
	d := openDir(t, dir, "new", "x", "y")
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil { // somebody else's, meanwhile
		t.Fatal(err)
	}
	if err := d.Commit(); err == nil || !strings.Contains(err.Error(), "x not written, the others are") {
		t.Errorf("error %v, want one that names x", err)
	}
	got := text(t, filepath.Join(dir, "y"))
	assert.Check(t, got == "new", "y: %q", got)
	clean(t, dir)
}

// TestDirOfLinks: a link in the directory stays, and leads to the new file.
func TestDirOfLinks(t *testing.T) {
	dir, far := t.TempDir(), put(t, filepath.Join(t.TempDir(), "far"), "old")
	assert.NilError(t, os.Symlink(far, filepath.Join(dir, "x")))
	for _, end := range []struct {
		how  func(*output.Dir) error
		want string
	}{{func(d *output.Dir) error { d.Abandon(); return nil }, "old"}, {(*output.Dir).Commit, "new"}} {
		d := openDir(t, dir, "new", "x")
		assert.NilError(t, end.how(d))
		got := text(t, far)
		assert.Check(t, got == end.want, "the file behind the link holds %q, want %q", got, end.want)
		clean(t, filepath.Dir(far))
	}
}

func TestDiscard(t *testing.T) {
	dir := t.TempDir()
	if _, err := output.OpenDir(dir); err != nil {
		t.Fatal(err)
	}
	f, err := output.Create(filepath.Join(dir, "x"))
	assert.NilError(t, err)
	output.Discard()
	clean(t, dir)
	f.Abandon()
}
