package campaign

import (
	"unique"

	"mpanalyze/internal/report"
)

// Input is a run as the user names it.
type Input struct {
	Scenario string            // what it is a run of
	Name     string            // of the run within the scenario, for messages; not empty
	Files    []string          // captures of one host, or one report (*.json)
	Vantage  report.Vantage    // where the captures were taken; empty to deduce it
	Labels   map[string]string // what else is known of it, such as hour or network
	Baseline bool              // it belongs to the campaign that the other one is compared with
}

// Run is what is kept of a run's report: the figures of one connection.
type Run struct {
	Connection  int              `json:"connection"`  // id in the report
	Connections int              `json:"connections"` // how many the report has
	Version     *int             `json:"version"`     // of Multipath TCP; null where the report does not know it
	Vantage     report.Vantage   `json:"vantage"`
	Both        bool             `json:"both"`      // captures of both hosts
	Bulk        report.Direction `json:"bulk"`      // the direction with more data
	FellBack    bool             `json:"fell_back"` // to plain TCP or an infinite mapping
	Paths       []string         `json:"paths"`     // labels of the subflows that carried data, sorted
	// Directions of which the capture at the sender alone shows the order, which
	// then is that of sending, or the HoL degree, which then is too low.
	SendOrder   []report.Direction `json:"send_order"`
	HoLAtSender []report.Direction `json:"hol_at_sender"`
	Content     string             `json:"content"` // hash of the files; empty where it was not taken
	// Names are the figures' names, ascending; Values stand beside them. A
	// report has about 1000 of them, 24 bytes each: equal names share their
	// memory over all runs.
	Names  []string  `json:"names"`
	Values []float64 `json:"values"`
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

// Skip is a run that takes no part.
type Skip struct {
	Scenario string   `json:"scenario"`
	Run      string   `json:"run"`
	Files    []string `json:"files"`
	Reason   string   `json:"reason"`
	Baseline bool     `json:"baseline"`
}
