package campaign

import (
	"slices"
	"strings"
	"unique"

	"mpanalyze/internal/report"
)

// Input is a run as the user names it.
type Input struct {
	Scenario string            `json:"scenario"`           // name of the scenario
	Name     string            `json:"run"`                // name of the run within the scenario, for messages; not empty
	Files    []string          `json:"files"`              // captures of one host, or one report (*.json)
	Receiver []string          `json:"receiver,omitempty"` // captures of the other host, which receives most of the data; empty for a run of one host
	Swap     bool              `json:"swap,omitempty"`     // it must be found out which of the two hosts sends most of the data
	Vantage  report.Vantage    `json:"vantage,omitempty"`  // where the captures were taken; empty to deduce it
	Factors  []Factor          `json:"factors,omitempty"`  // the factors that were varied, where scenarios are combinations of factors
	Labels   map[string]string `json:"labels,omitempty"`   // other properties of the run, such as hour or network
	Baseline bool              `json:"baseline,omitempty"` // it belongs to the campaign that the other one is compared with
	Single   bool              `json:"single,omitempty"`   // a run of one path alone; the scenario is the name of that path
	Problem  string            `json:"problem,omitempty"`  // why it cannot be analysed; empty if no reason is known
	// Bytes is how long each of AllFiles is by those who stored it; empty where that is not known.
	Bytes []int64 `json:"bytes,omitempty"`
}

// AllFiles returns the files of both hosts.
func (in *Input) AllFiles() []string { return slices.Concat(in.Files, in.Receiver) }

// role names the part of a campaign that the run belongs to.
func (in *Input) role() string {
	switch {
	case in.Single:
		return "single"
	case in.Baseline:
		return "baseline"
	}
	return "scenario"
}

// IsReport reports whether the run is a report, not captures.
func (in *Input) IsReport() bool {
	return len(in.Files) == 1 && len(in.Receiver) == 0 && strings.HasSuffix(in.Files[0], ".json")
}

// Factor is a property that a campaign varies, such as the scheduler, with its value in a run.
type Factor struct {
	Name  string `json:"name"`  // as in scheduler
	Value string `json:"value"` // as in minrtt
}

// Run holds the figures of one connection from a run's report.
type Run struct {
	Connection  int              `json:"connection"`  // id in the report
	Connections int              `json:"connections"` // how many the report has
	Version     *int             `json:"version"`     // of Multipath TCP; null where the report does not know it
	Vantage     report.Vantage   `json:"vantage"`
	Both        bool             `json:"both"`      // captures of both hosts
	End         report.Host      `json:"end"`       // with captures of both hosts: whose capture gives the figures that both show; empty for a report that mixes them
	Exchanged   bool             `json:"exchanged"` // the captures of the two hosts were exchanged
	Bulk        report.Direction `json:"bulk"`      // the direction with more data
	FellBack    bool             `json:"fell_back"` // to plain TCP or an infinite mapping
	Paths       []string         `json:"paths"`     // labels of the subflows that carried data, in the order of the connection
	AllPaths    []string         `json:"all_paths"` // labels of all subflows, also of those that carried no data, in the same order
	// Directions of which the capture at the sender alone shows the order, which
	// then is that of sending, or the HoL degree, which then is too low.
	SendOrder   []report.Direction `json:"send_order"`
	HoLAtSender []report.Direction `json:"hol_at_sender"`
	Content     string             `json:"content"` // hash of the files; empty where it was not taken
	// What names each capture of the run, or each that its report is on: the hash of the
	// file where it was taken, and the packets, bytes and times in it.
	Captures []string       `json:"captures"`
	MadeBy   *report.MadeBy `json:"made_by"` // null for a report that does not say it
	// Addresses of the ends of subflows, both hosts', sorted.
	Addresses []string `json:"addresses"`
	// Names are the figures' names, ascending; Values stand beside them. A
	// report has about 1000 of them, 24 bytes each: equal names share their
	// memory over all runs.
	Names  []string  `json:"names"`
	Values []float64 `json:"values"`
}

// atReceiver reports whether the run was captured at the receiver of a direction alone.
func (r *Run) atReceiver(d report.Direction) bool {
	return !r.Both && r.Vantage == d.Receiver()
}

// where says where the run was captured.
func (r *Run) where() string {
	if r.Both {
		return "both hosts"
	}
	return string(r.Vantage)
}

// add appends a figure.
func (r *Run) add(name string, v float64) {
	r.Names = append(r.Names, unique.Make(name).Value())
	r.Values = append(r.Values, v)
}

// Share makes the names of a run that was read from a file share their memory
// with those of other runs.
func (r *Run) Share() {
	for i, n := range r.Names {
		r.Names[i] = unique.Make(n).Value()
	}
}

// Skip is a run that was left out.
type Skip struct {
	Scenario string   `json:"scenario"`
	Run      string   `json:"run"`
	Files    []string `json:"files"`
	Reason   string   `json:"reason"`
	Baseline bool     `json:"baseline"`
}
