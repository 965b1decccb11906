package results

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/output"
	"mpanalyze/internal/storage"
)

// Append appends the result as a line of JSON.
func (r *Result) Append(dst []byte) ([]byte, error) {
	text, err := json.Marshal(r)
	return append(append(dst, text...), '\n'), err
}

// Write writes the result into a file, whole or not at all.
func (r *Result) Write(file string) error {
	text, err := r.Append(nil)
	if err != nil {
		return err
	}
	return output.Write(file, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// Load reads the result in a file. It returns nil if there is no file or no complete result.
func Load(file string) *Result {
	text, err := storage.ReadFile(file)
	if err != nil {
		return nil
	}
	r := &Result{}
	if json.Unmarshal(text, r) != nil || r.check() != nil {
		return nil
	}
	return r
}

// Listed returns the names of the entries of a directory of object storage. It returns nil for
// a directory of the system, and for a server that cannot list objects.
func Listed(dir string) (map[string]bool, error) {
	if !storage.Is(dir) {
		return nil, nil
	}
	entries, err := storage.ReadDir(dir)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil, nil
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	if errors.Is(err, fs.ErrNotExist) { // nothing is there yet
		err = nil
	}
	return names, err
}

// Files returns the files that hold results: each named file, and all files in each named
// directory. In directories it leaves out hidden files and files that begin with an underscore,
// because other programs use such files as marks.
func Files(names []string) (all []string, err error) {
	for _, name := range names {
		info, e := storage.Stat(name)
		if e != nil {
			err = errors.Join(err, e)
			continue
		}
		if !info.IsDir() {
			all = append(all, name)
			continue
		}
		entries, e := storage.ReadDir(name)
		err = errors.Join(err, e)
		for _, entry := range entries {
			if n := entry.Name(); !strings.HasPrefix(n, ".") && !strings.HasPrefix(n, "_") && isFile(name, entry) {
				all = append(all, storage.Join(name, n))
			}
		}
	}
	return all, err
}

// isFile reports whether an entry of a directory is a file, or a link to one.
func isFile(dir string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return entry.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, entry.Name())) // object storage has no links
	return err == nil && info.Mode().IsRegular()
}

// reading holds the names of figures while results are read. They are equal in most runs, so
// equal lists share memory.
type reading struct {
	mutex sync.Mutex
	names map[[sha256.Size]byte][]string
}

// text is a result whose names of figures are not yet read.
type text struct {
	*Result
	Run *struct {
		*campaign.Run
		Names json.RawMessage `json:"names"`
	} `json:"run"`
}

// file reads the results of a file, which holds one result or one on each line.
func (k *reading) file(name string) (all []*Result, err error) {
	content, err := storage.ReadFile(name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(content))
	for n := 1; ; n++ {
		t := text{Result: &Result{from: name}}
		switch err := d.Decode(&t); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: result %d cannot be read: %w; remove the file and run mpanalyze task again", name, n, err)
		}
		if t.Run != nil {
			if t.Result.Run = t.Run.Run; t.Result.Run == nil {
				t.Result.Run = &campaign.Run{}
			}
			if t.Result.Run.Names, err = k.list(t.Run.Names); err != nil {
				return nil, fmt.Errorf("%s: result %d: %w", name, n, err)
			}
		}
		if err := t.check(); err != nil {
			return nil, fmt.Errorf("%s: result %d %w", name, n, err)
		}
		all = append(all, t.Result)
	}
}

// list returns the names of figures. Equal lists share memory.
func (k *reading) list(raw []byte) ([]string, error) {
	if raw == nil {
		return nil, errors.New("its figures have no names")
	}
	hash := sha256.Sum256(raw)
	k.mutex.Lock()
	known, found := k.names[hash]
	k.mutex.Unlock()
	if found {
		return known, nil
	}
	run := &campaign.Run{}
	if err := json.Unmarshal(raw, &run.Names); err != nil {
		return nil, err
	}
	run.Share()
	run.Names = slices.Clip(run.Names)
	k.mutex.Lock()
	k.names[hash] = run.Names
	k.mutex.Unlock()
	return run.Names, nil
}
