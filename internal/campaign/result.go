package campaign

import (
	"encoding/json"
	"io"
)

// Result is the JSON form of a study.
type Result struct {
	// Each scenario with its figures, named by their path in a direction of the connection, or by path label in a direction of a subflow.
	Scenarios []Summary `json:"scenarios"`
	// Runs that take no part, and why.
	Skipped []Skip `json:"skipped"`
	// What was averaged over, and what samples are too small for.
	Warnings []string `json:"warnings"`
	// The scenarios against each other, in the figures of the table.
	Comparisons []Comparison `json:"comparisons"`
	// The campaign against its baseline; empty without one.
	Changes []Change `json:"changes"`
	// The scenarios in order of merit; empty unless it was asked for.
	Ranking []Ranked `json:"ranking"`
	// Which rows of the table are absent or stand in the place of others, and why.
	Notes []string `json:"notes"`
	// The runs that take part.
	Runs []RunResult `json:"runs"`
}

// RunResult says what a run is.
type RunResult struct {
	Scenario   string            `json:"scenario"`
	Run        string            `json:"run"`
	Files      []string          `json:"files"`
	Labels     map[string]string `json:"labels,omitempty"`
	Baseline   bool              `json:"baseline"`
	Connection int               `json:"connection"` // id in the run's report
	Vantage    string            `json:"vantage"`
}

// List returns the runs that take part, the baseline's last.
func (s *Set) List() []RunResult {
	out := []RunResult{}
	for _, part := range [][]*Scenario{s.Scenarios, s.Baseline} {
		for _, sc := range part {
			for _, m := range sc.Runs {
				out = append(out, RunResult{
					Scenario: sc.Name, Run: m.Name, Files: m.Files, Labels: m.Labels,
					Baseline: m.Baseline, Connection: m.Connection, Vantage: string(m.Run.Vantage),
				})
			}
		}
	}
	return out
}

// WriteJSON writes the result, indented by one space a level.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}
