package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"mpanalyze/internal/campaign"
)

// Cache keeps the figures of runs in files, by the content of their captures,
// the options of the analysis and the version of the program. What cannot be
// read or written there is analysed again: a cache never fails. A nil cache
// holds nothing.
//
// It grows by about 50 kB per run and analysis; nothing removes files from it.
type Cache struct {
	Dir     string
	Version string // of the program; a change makes every entry stale
}

// cacheForm is part of every key; it changes with the form of the entries.
const cacheForm = "mpanalyze runs 1"

// contentOf hashes files, each with its length, so that no two lists of files
// look alike.
func contentOf(files []string) (string, error) {
	all := sha256.New()
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return "", err
		}
		h := sha256.New()
		n, err := io.Copy(h, f)
		f.Close()
		if err != nil {
			return "", err
		}
		fmt.Fprintf(all, "%d %x\n", n, h.Sum(nil))
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// key names the entry of a run.
func (c *Cache) key(content string, o *Options, connection int) string {
	if c == nil {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%s\n%s\n%q %v %q %d %d %d %q %v %+v\n", cacheForm, c.Version, content,
		o.Filter, o.Decap, o.Vantage, o.Interval, o.Skip, connection, o.Direction, o.Labels, o.QoE)
	return hex.EncodeToString(h.Sum(nil))
}

func (c *Cache) file(key string) string { return filepath.Join(c.Dir, key[:2], key+".json") }

// load returns an entry; nil where there is none.
func (c *Cache) load(key string) *campaign.Run {
	if c == nil {
		return nil
	}
	text, err := os.ReadFile(c.file(key))
	if err != nil {
		return nil
	}
	run := &campaign.Run{}
	if json.Unmarshal(text, run) != nil || len(run.Names) != len(run.Values) {
		return nil
	}
	run.Share()
	return run
}

// store writes an entry under a name of its own first: nobody reads half of
// one.
func (c *Cache) store(key string, run *campaign.Run) {
	if c == nil {
		return
	}
	text, err := json.Marshal(run)
	if err != nil {
		return
	}
	file := c.file(key)
	if os.MkdirAll(filepath.Dir(file), 0o755) != nil {
		return
	}
	f, err := os.CreateTemp(filepath.Dir(file), "new-*")
	if err != nil {
		return
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
	}
}
