package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"

	"mpanalyze/internal/campaign"
)

// Cache keeps the figures of runs in files, by the content of their captures, the
// options of the analysis and the version of the program. A cache never fails: if an
// entry cannot be read or written, the run is analysed again. A nil cache is always
// empty.
//
// It grows by about 50 kB for each analysis of a run, and by the text given to
// [Cache.Keep]. Nothing removes files from it.
type Cache struct {
	Dir     string
	Version string // of the program; a change makes every entry stale
}

// cacheForm is part of every key. It must change when the form of the entries changes.
const cacheForm = "mpanalyze runs 3"

// notInKey names the fields of [Options] that the figures of a run do not depend on.
// Every other field is part of the key.
var notInKey = map[string]bool{
	"Paths": true, "Receiver": true, "Stdin": true, // the content of the files is in the key
	"Rows": true, "Series": true, "Changes": true, "Packets": true, "Modules": true, "Progress": true, "live": true, // output beside the report
	"Version": true, "Several": true, "HashLimit": true, // the cache has a version of its own
	"oneGoroutine": true, "inOrder": true, "stored": true, // they do not change the report
	"Fairness": true, // concerns several connections; the figures of a run are those of one
}

// keyOf returns the key for the figures that a program makes of files with these hashes
// and options. It is empty for files without a hash.
func keyOf(program, content string, o *Options, connection int) string {
	if content == "" {
		return ""
	}
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

func (c *Cache) file(key string) string { return filepath.Join(c.Dir, key[:2], key+".json") }

// load returns an entry; nil where there is none.
func (c *Cache) load(key string) *campaign.Run {
	if c == nil || key == "" {
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

func (c *Cache) store(key string, run *campaign.Run) {
	if c == nil || key == "" {
		return
	}
	if text, err := json.Marshal(run); err == nil {
		replace(c.file(key), text)
	}
}

// StudyKey returns the key for the result of all runs together. extra is a text with
// all further options that change the result. The key is empty without a cache, and if
// a file cannot be read.
func (o *CampaignOptions) StudyKey(ctx context.Context, extra string) string {
	c := o.Cache
	if c == nil {
		return ""
	}
	keys := make([]string, len(o.Inputs))
	Each(ctx, o.workers(), len(o.Inputs), func(i int) {
		in := &o.Inputs[i]
		if content, _, err := c.contentOf(in.Files, in.Receiver); err == nil {
			keys[i] = o.keyOf(c.Version, in, content)
		}
	})
	h := sha256.New()
	fmt.Fprintf(h, "study\n%s\n", extra)
	for i := range o.Inputs {
		if keys[i] == "" {
			return ""
		}
		fmt.Fprintf(h, "%s %+v\n", keys[i], o.Inputs[i])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Kept returns the text that was kept under a key; nil if there is none.
func (c *Cache) Kept(key string) []byte {
	if c == nil || key == "" {
		return nil
	}
	text, err := os.ReadFile(c.file(key))
	if err != nil {
		return nil
	}
	return text
}

// Keep keeps text under a key.
func (c *Cache) Keep(key string, text []byte) {
	if c != nil && key != "" {
		replace(c.file(key), text)
	}
}

// replace writes a file under a temporary name and renames it, so that no program reads
// half a file.
func replace(file string, text []byte) {
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
