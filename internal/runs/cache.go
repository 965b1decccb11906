package runs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/results"
)

// Cache keeps the figures of runs in files, as results of tasks: by the content of their captures, the
// options of the analysis and the version of the program, and by the names and times of the captures in place
// of their content, so that these need not be read. A cache never fails: if an entry cannot be read or
// written, or is not believed, the run is analysed again. A nil cache is always empty.
//
// It grows by about 20 kB for each analysis of a run. Nothing removes files from it.
type Cache struct {
	dir     string
	version string // of the program; a change makes every entry stale
	reader  *results.Reader
}

// program identifies the program whose figures the cache has; empty without a cache.
func (c *Cache) program() string {
	if c == nil {
		return ""
	}
	return c.version
}

// OpenCache opens the cache in a directory, which it makes if there is none. version
// identifies the program. Whoever writes into the directory decides what compare prints,
// so it must belong to the user, with mode 0700, else there is an error. Where there is no place for
// a directory, there is no cache and no error.
func OpenCache(dir, version string) (*Cache, error) {
	dir = filepath.Clean(dir) // without the slash at the end that would follow a link
	if os.MkdirAll(dir, 0o700) != nil {
		return nil, nil
	}
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
	case info.Mode().Type() == fs.ModeSymlink:
		err = errors.New("it is a symbolic link, whose target others may choose")
	default:
		err = owned(info)
	}
	if err != nil {
		return nil, fmt.Errorf("the cache %s is not used: %w; make it a directory of your own with mode 0700, or state --no-cache", dir, err)
	}
	return &Cache{dir, version, results.NewReader()}, nil
}

// cacheForm is part of every key. It must change when the form of the entries changes.
const cacheForm = "mpanalyze runs 5"

// notInKey names the fields of [engine.Options] that the figures of a run do not depend on.
// Every other field is part of the key.
var notInKey = map[string]bool{
	"Paths": true, "Receiver": true, "Stdin": true, "Files": true, // the content of the files is in the key
	"Rows": true, "Series": true, "Changes": true, "Packets": true, "Modules": true, "Captured": true, "Progress": true, "live": true, // output beside the report
	"Version": true, "Several": true, "HashLimit": true, // the cache has a version of its own
	"OneGoroutine": true,                 // changes nothing in a report
	"inOrder":      true, "stored": true, // nobody but tests sets them
	"Kernel":   true, // decides the words of remedies, no figure
	"Fairness": true, // concerns several connections; the figures of a run are those of one
}

// keyOf returns the key for the figures that a program makes of files with these hashes and options. It is empty for files without a hash.
func keyOf(program, content string, o *engine.Options, connection int) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%d\n", cacheForm, program, content, connection)
	v := reflect.ValueOf(o).Elem()
	for i := range v.NumField() {
		switch f := v.Type().Field(i); {
		case notInKey[f.Name]:
		case f.Type.Kind() == reflect.String:
			fmt.Fprintf(h, "%s %q\n", f.Name, v.Field(i))
		default:
			fmt.Fprintf(h, "%s %+v\n", f.Name, v.Field(i))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// load returns the result that is kept under a key; nil for none.
func (c *Cache) load(key string) *results.Result {
	if c == nil || key == "" {
		return nil
	}
	r := c.reader.Load(filepath.Join(c.dir, key))
	if r == nil || r.Run == nil || r.Key != key || !slices.IsSorted(r.Run.Names) {
		return nil
	}
	return r
}

// store keeps a result under a key.
func (c *Cache) store(key string, r results.Result) {
	if c != nil && key != "" {
		r.Key = key
		_ = r.Write(filepath.Join(c.dir, key)) // the run is analysed again
	}
}
