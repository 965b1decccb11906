package output

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"mpanalyze/internal/storage"
)

// Uses is all that a command reads and writes. [Uses.Check] refuses what would be lost. Pipes and
// devices are no mistake, so it ignores them.
type Uses struct {
	reads, writes []use // bounded by the files that one command reads and writes
}

// use is a file that is read or written, or a directory into which files are written.
type use struct {
	by, name string      // what uses it, as a flag; its name as the user gave it
	info     os.FileInfo // nil where there is none yet
	path     string      // absolute, without symbolic links; empty for what is not replaced
	dir      bool
	files    []string // of a directory: patterns of the names of its files
}

// Read notes a file that is read.
func (u *Uses) Read(name string) {
	if info, err := storage.Stat(name); err == nil {
		u.read(name, info)
	}
}

// ReadStream notes an open file that is read.
func (u *Uses) ReadStream(name string, f Open) {
	if info, err := f.Stat(); err == nil {
		u.read(name, info)
	}
}

func (u *Uses) read(name string, info os.FileInfo) {
	if info.Mode().IsRegular() {
		u.reads = append(u.reads, use{name: name, info: info})
	}
}

// Write notes a file that is written. by is what the user calls the output, such as a flag.
func (u *Uses) Write(by, name string) {
	info, _ := storage.Stat(name) // an error in writing it says more
	u.writes = append(u.writes, use{by: by, name: name, info: info, path: realPath(name)})
}

// WriteStream notes an open file that is written.
func (u *Uses) WriteStream(name string, f Open) {
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		u.writes = append(u.writes, use{by: name, name: name, info: info})
	}
}

// WriteInto notes a directory into which files are written. files are patterns of their names, as
// of [path.Match].
func (u *Uses) WriteInto(by, dir string, files ...string) {
	u.writes = append(u.writes, use{by: by, name: dir, path: realPath(dir), dir: true, files: files})
}

// Writes returns how many outputs are noted.
func (u *Uses) Writes() int { return len(u.writes) }

// Check returns an error for each output that is also an input, under whatever name, and for each two
// outputs that are one file.
func (u *Uses) Check() (err error) {
	for i := range u.writes {
		w := &u.writes[i]
		for _, file := range w.present() {
			for _, r := range u.reads {
				if same(r.info, file.info) {
					err = errors.Join(err, fmt.Errorf("%s would be written over the input %s: name another file", file.name, r.name))
				}
			}
		}
		for k := range u.writes[:i] {
			if v := &u.writes[k]; w.meets(v) {
				err = errors.Join(err, fmt.Errorf("%s and %s would write the same file, %s: name another one", v.by, w.by, w.name))
			}
		}
	}
	return err
}

// present returns an output that is a file, or the files that an output directory would replace.
func (w *use) present() (files []use) {
	if !w.dir {
		return []use{*w}
	}
	entries, _ := storage.ReadDir(w.name) // without a directory there is nothing to replace
	for _, e := range entries {
		name := storage.Join(w.name, e.Name())
		if info, err := storage.Stat(name); err == nil && w.takes(e.Name()) {
			files = append(files, use{name: name, info: info})
		}
	}
	return files
}

// takes reports whether a name may be that of a file in the directory.
func (w *use) takes(name string) bool {
	return slices.ContainsFunc(w.files, func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok })
}

// meets reports whether one of two outputs would be lost.
func (w *use) meets(v *use) bool {
	switch {
	case v.dir && !w.dir:
		return v.meets(w)
	case w.path != "" && w.path == v.path:
		return !v.dir || slices.ContainsFunc(w.files, v.takes) || slices.ContainsFunc(v.files, w.takes)
	case v.dir || w.path+v.path == "": // nothing is replaced
		return false
	case w.dir && v.path != "" && storage.Dir(v.path) == w.path && w.takes(path.Base(filepath.ToSlash(v.path))):
		return true // the file may not exist yet
	}
	return slices.ContainsFunc(w.present(), func(f use) bool { return same(f.info, v.info) })
}

func same(a, b os.FileInfo) bool {
	return a != nil && b != nil && a.Mode().IsRegular() && storage.SameFile(a, b)
}

// realPath returns the absolute path of a file or directory without symbolic links, whether it exists
// or not. It is empty for pipes, devices and open files: what is written there is not replaced.
func realPath(name string) string {
	if storage.Is(name) {
		return storage.Join(name, "")
	}
	t, err := resolve(cmp.Or(strings.TrimRight(name, string(filepath.Separator)), name)) // x/ is x, which may be a link
	if err != nil || t.direct {
		return ""
	}
	dir, base := filepath.Split(t.path)
	if real, err := filepath.EvalSymlinks(cmp.Or(dir, ".")); err == nil {
		dir = real
	} else if base != "" {
		dir = realPath(dir) // a directory that is made later
	}
	if abs, err := filepath.Abs(filepath.Join(dir, base)); err == nil {
		return abs
	}
	return ""
}
