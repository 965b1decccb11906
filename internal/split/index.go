package split

import (
	"encoding/json"
	"fmt"
	"path/filepath"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// IndexName is the name of the index in the directory of a split.
const IndexName = "split.json"

// schema is the value of [Index.Schema].
const schema = "mpanalyze-split/2"

// Index says what parts there are, and what is known of the whole capture.
type Index struct {
	Schema    string `json:"schema"`
	Version   string `json:"version"` // of the program
	Filter    string `json:"filter"`
	Decap     bool   `json:"decap"`
	MaxMemory int64  `json:"max_memory"` // bytes
	// PayloadFrom is the number of the packet from which on payload is kept, to verify
	// checksums; 0 for none.
	PayloadFrom uint64           `json:"payload_from"`
	Captures    []report.Capture `json:"captures"`
	Warnings    []report.Warning `json:"warnings"`
	Parts       []Part           `json:"parts"`
	Rest        Rest             `json:"rest"`
}

// Part is a part: a capture, and a file of steps.
type Part struct {
	File        string `json:"file"` // in the directory of the index
	Steps       string `json:"steps"`
	Packets     uint64 `json:"packets"`
	Connections int    `json:"connections"`
	Multipath   int    `json:"mptcp"`         // of these
	Digest      uint64 `json:"digest,string"` // sum of [conn.Ending.Digest]
}

// Rest is the packets that belong to no connection.
type Rest struct {
	File    string `json:"file"` // empty where there are none
	Packets uint64 `json:"packets"`
}

// ReadIndex reads the index of a directory.
func ReadIndex(dir string) (*Index, error) {
	name := storage.Join(dir, IndexName)
	text, err := storage.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("%s: no split is here: %w; name the directory that split --out wrote", dir, capture.NotOpened(name, err))
	}
	x := &Index{}
	if err := json.Unmarshal(text, x); err != nil {
		return nil, fmt.Errorf("%s: not the index of a split: %w; split the capture again", name, err)
	}
	if x.Schema != schema {
		return nil, fmt.Errorf("%s: its schema is %q, not %q; split the capture again with this program", name, x.Schema, schema)
	}
	for i := range x.Parts {
		for _, file := range []string{x.Parts[i].File, x.Parts[i].Steps} {
			if file == "" || file != filepath.Base(file) {
				return nil, fmt.Errorf("%s: the file %q of part %d is not in this directory; split the capture again", name, file, i+1)
			}
		}
	}
	return x, nil
}

// Plan opens the steps of a part. The caller calls done when it has followed them.
func (p *Part) Plan(dir string) (plan *conn.Plan, done func() error, err error) {
	name := storage.Join(dir, p.Steps)
	f, err := storage.Open(name)
	if err != nil {
		return nil, nil, capture.NotOpened(name, err)
	}
	if plan, err = readPlan(f); err != nil {
		_ = f.Close() // opened for reading only
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return plan, f.Close, nil
}

// Check returns an error if an analysis of the part with this plan did not find the same
// connections as the analysis of the whole capture.
func (p *Part) Check(plan *conn.Plan) error {
	n, digest := plan.Ended()
	switch err := plan.Err(); {
	case err != nil:
		return fmt.Errorf("%s shows something else than the whole capture: %w; analyse the whole capture instead", p.File, err)
	case n != p.Connections || digest != p.Digest:
		return fmt.Errorf("%s shows something else than the whole capture: %d connections of %d ended, or not as there; it was changed, or analyse the whole capture instead", p.File, n, p.Connections)
	}
	return nil
}
