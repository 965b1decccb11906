package results

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
)

// SchemaName is the name of the form of a result.
const SchemaName = "mpanalyze figures 2"

// Result is what is kept of a run: its figures, or why there are none.
type Result struct {
	Schema string `json:"schema"`
	// The list of all runs that this one belongs to, as a hash, its place there from 0, and how
	// many there are.
	List  string `json:"list"`
	Index int    `json:"index"`
	Of    int    `json:"of"`
	// What the run is, and its files when they were read.
	Input campaign.Input `json:"input"`
	Files []File         `json:"files"`
	// Hash of the content of all files, empty where one could not be read, and of that, the
	// options and the program together.
	Content string `json:"content"`
	Key     string `json:"key"`
	// How the figures were made: the build of the program, and its flags that change figures and had
	// other values than their defaults.
	Program string            `json:"program"`
	Flags   map[string]string `json:"flags"`
	// Why there are no figures; empty where there are some.
	Skipped string `json:"skipped"`
	// The reason says nothing about the content of the files, as an error of the medium: see
	// [storage.Temporary]. Such a result is not kept.
	Again bool          `json:"again,omitempty"`
	Run   *campaign.Run `json:"run"`

	from string // where it was read from, for messages
}

// File is a file as the system described it before it was read.
type File struct {
	Size    int64 `json:"size"`    // bytes
	Changed int64 `json:"changed"` // modification time, ns since the epoch
	// What object storage calls the content, as its ETag; empty for files.
	Tag string `json:"tag,omitempty"`
}

// check refuses a result that holds neither figures nor the reason why there are none.
func (r *Result) check() error {
	switch {
	case r.Run == nil && r.Skipped == "":
		return fmt.Errorf("has neither figures nor the reason why there are none")
	case r.Index < 0 || r.Index >= r.Of || r.Of > mostRuns:
		return fmt.Errorf("says that it is number %d of %d runs", r.Index+1, r.Of)
	}
	return nil
}

// mostRuns is the largest number of runs that a list may have.
const mostRuns = 10_000_000

// ListOf returns a hash that identifies a list of runs. Files count by their names below the
// directory that all files of the list have in common, so that a list is the same under another
// mount point.
func ListOf(inputs []campaign.Input) string {
	h := sha256.New()
	common := commonDir(inputs)
	for i := range inputs {
		in := inputs[i]
		in.Files, in.Receiver = below(common, in.Files), below(common, in.Receiver)
		text, _ := json.Marshal(&in) // of texts and numbers alone
		h.Write(append(text, '\n'))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// commonDir returns the directories that the names of all files begin with, "/" included.
func commonDir(inputs []campaign.Input) string {
	var dirs []string
	for i := range inputs {
		for _, name := range inputs[i].AllFiles() {
			dirs = append(dirs, name[:strings.LastIndexByte(name, '/')+1])
		}
	}
	if len(dirs) == 0 {
		return ""
	}
	first, last := slices.Min(dirs), slices.Max(dirs) // all others begin as both of these do
	n := 0
	for n < min(len(first), len(last)) && first[n] == last[n] {
		n++
	}
	return first[:strings.LastIndexByte(first[:n], '/')+1]
}

// below returns the names without the directories that all have in common.
func below(common string, names []string) (out []string) {
	for _, name := range names {
		out = append(out, strings.TrimPrefix(name, common))
	}
	return out
}

// longestName is how many bytes a file name takes at most from the name of a scenario or a run.
const longestName = 60

// FileNames returns the name of the result file of each run: scenario, run, and a hash of
// everything that identifies the run, such as its factors. Runs with equal names get numbers.
func FileNames(inputs []campaign.Input) []string {
	names, used := make([]string, len(inputs)), map[string]int{}
	for i := range inputs {
		name := runText(&inputs[i])
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s-%d", name, used[name])
		}
		names[i] = name + ".json"
	}
	return names
}

// runText returns a text that identifies a run among those of other names, factors and labels.
func runText(in *campaign.Input) string {
	id := campaign.Input{Scenario: in.Scenario, Name: in.Name, Factors: in.Factors, Labels: in.Labels, Baseline: in.Baseline, Single: in.Single}
	text, _ := json.Marshal(&id) // of texts and truth values
	hash := sha256.Sum256(text)
	return fmt.Sprintf("%s.%s.%s", fileText(in.Scenario), fileText(in.Name), hex.EncodeToString(hash[:6]))
}

// otherLetters matches what a file name does not get.
var otherLetters = regexp.MustCompile("[^a-zA-Z0-9_.-]")

// fileText makes a part of a file name from any text.
func fileText(text string) string {
	if len(text) > longestName {
		text = text[len(text)-longestName:] // the end of a path says more than its beginning
	}
	safe := otherLetters.ReplaceAllString(text, "_")
	if strings.HasPrefix(safe, ".") || strings.HasPrefix(safe, "_") || safe == "" {
		safe = "x" + safe // Files leaves out names that begin with a dot or an underscore
	}
	return safe
}
