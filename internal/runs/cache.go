package runs

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
)

// Cache keeps the figures of runs in files, by the content of their captures, the
// options of the analysis and the version of the program. A cache never fails: if an
// entry cannot be read or written, or is not believed, the run is analysed again. A nil
// cache is always empty.
//
// It grows by about 50 kB for each analysis of a run. Nothing removes files from it.
type Cache struct {
	dir     *os.Root
	version string // of the program; a change makes every entry stale
}

// program identifies the program whose figures the cache has; empty without a cache.
func (c *Cache) program() string {
	if c == nil {
		return ""
	}
	return c.version
}

// errLink says why a symbolic link is no cache.
var errLink = errors.New("it is a symbolic link, whose target others may choose")

// OpenCache opens the cache in a directory, which it makes if there is none. version
// identifies the program. Whoever writes into the directory decides what compare prints,
// so it must belong to the user, with mode 0700, else there is an error. Where there is no place for
// a directory, there is no cache and no error.
func OpenCache(dir, version string) (*Cache, error) {
	dir = filepath.Clean(dir) // without the slash at the end that would follow a link
	if os.MkdirAll(dir, 0o700) != nil {
		return nil, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil
	}
	if err := onlyForUser(dir, root); err != nil {
		root.Close()
		return nil, fmt.Errorf("the cache %s is not used: %w; make it a directory of your own with mode 0700, or state --no-cache", dir, err)
	}
	return &Cache{root, version}, nil
}

// onlyForUser returns an error unless the open directory is the one with that name, and
// is only for the user of this process.
func onlyForUser(dir string, root *os.Root) error {
	named, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	info, err := root.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(named, info) {
		return errLink
	}
	return owned(info)
}

// cacheForm is part of every key. It must change when the form of the entries changes.
const cacheForm = "mpanalyze runs 4"

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

// load returns the figures of files with this hash that are kept under a key; nil where
// there are none, and where no run can have them.
func (c *Cache) load(key, content string) *campaign.Run {
	if c == nil || key == "" {
		return nil
	}
	run := &campaign.Run{}
	if json.Unmarshal(c.read(key), run) != nil || run.Content != content {
		return nil
	}
	if len(run.Names) != len(run.Values) || !slices.IsSorted(run.Names) || campaign.BoundsOf(run.Names).Impossible(run.Values) >= 0 {
		return nil // it is analysed again
	}
	run.Share()
	return run
}

func (c *Cache) store(key string, run *campaign.Run) {
	if c == nil || key == "" {
		return
	}
	if text, err := json.Marshal(run); err == nil {
		c.write(key, text)
	}
}

// largestEntry is more than any entry takes.
const largestEntry = 64 << 20

// entryHash returns the hash of a text and of its key, in hexadecimal digits. An entry begins
// with it, so that damage and a change of names are found.
func entryHash(key string, text []byte) []byte {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", key)
	h.Write(text)
	return hex.AppendEncode(nil, h.Sum(nil))
}

// read returns the text that write kept under a key; nil if there is none, or if the
// entry is damaged.
func (c *Cache) read(key string) []byte {
	if info, err := c.dir.Lstat(key); err != nil || !info.Mode().IsRegular() || info.Size() > largestEntry {
		return nil
	}
	entry, err := c.dir.ReadFile(key)
	if err != nil {
		return nil
	}
	said, text, _ := bytes.Cut(entry, []byte{'\n'})
	if !bytes.Equal(said, entryHash(key, text)) {
		return nil
	}
	return text
}

// write keeps text under a key. It writes a file under a temporary name and renames it,
// so that no program reads half a file.
func (c *Cache) write(key string, text []byte) {
	name := "new-" + rand.Text()
	err := c.dir.WriteFile(name, slices.Concat(entryHash(key, text), []byte{'\n'}, text), 0o600)
	if err == nil {
		err = c.dir.Rename(name, key)
	}
	if err != nil {
		c.dir.Remove(name)
	}
}
