package campaign

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"iter"

	"mpanalyze/internal/report"
)

// Result is the JSON form of a study.
type Result struct {
	// Name and version of this form: mpanalyze.compare/1.
	Schema string `json:"schema"`
	// Each scenario with its figures, named by their path in a direction of the connection, or by path label in a direction of a subflow.
	Scenarios []Summary `json:"scenarios"`
	// Runs that were left out, and why.
	Skipped []Skip `json:"skipped"`
	// Differences between runs that the means hide, and samples that are too small.
	Warnings []string `json:"warnings"`
	// Comparisons of the scenarios in the figures of the table.
	Comparisons []Comparison `json:"comparisons"`
	// The main effects of a factor; absent unless they were asked for.
	Effects []Effect `json:"effects,omitempty"`
	// Comparisons of the campaign with its baseline; empty without one.
	Changes []Change `json:"changes"`
	// The scenarios ordered by rank; empty unless it was asked for.
	Ranking []Ranked `json:"ranking"`
	// Comparisons of the scenarios with runs of each path alone; empty without such runs.
	Aggregation []Aggregation `json:"aggregation"`
	// Which rows of the table are absent or replace others, and why.
	Notes []string `json:"notes"`
	// The runs that take part.
	Runs []RunResult `json:"runs"`

	// runList yields them for WriteJSON.
	runList iter.Seq[RunResult]
}

// ListRuns says whose runs WriteJSON writes.
func (r *Result) ListRuns(s *Set) { r.runList = s.EachRun }

// RunResult describes a run.
type RunResult struct {
	Scenario   string            `json:"scenario"`
	Run        string            `json:"run"`
	Files      []string          `json:"files"`              // of one host, with receiver of the one that sends most of the data
	Receiver   []string          `json:"receiver,omitempty"` // captures of its peer; absent for a run of one host
	Factors    []Factor          `json:"factors,omitempty"`  // what was varied and what it was; absent where scenarios are no combinations
	Labels     map[string]string `json:"labels,omitempty"`
	Baseline   bool              `json:"baseline"`
	Single     bool              `json:"single"`     // of one path alone, named by the scenario
	Connection int               `json:"connection"` // id in the run's report
	Vantage    string            `json:"vantage"`
	End        string            `json:"end,omitempty"` // of a run of both hosts: whose capture gives the figures that both show
	// Every figure of the run by its name, in the unit of its metric. The maximum of hol_degree_ms is at least 0, also where the run's report has a negative one: the mean over runs is of max(zeta_max, 0).
	Metrics map[string]float64 `json:"metrics"`
}

// EachRun yields the runs that take part: of the scenarios, of the baseline, of single paths.
func (s *Set) EachRun(yield func(RunResult) bool) {
	for _, m := range s.Members() {
		r := RunResult{
			Scenario: m.Scenario, Run: m.Name, Files: m.Files, Receiver: m.Receiver, Factors: m.Factors, Labels: m.Labels,
			Baseline: m.Baseline, Single: m.Single, Connection: m.Connection, Vantage: string(m.Run.Vantage), End: string(m.End), Metrics: m.figures(),
		}
		if !yield(r) {
			return
		}
	}
}

// WriteJSON writes the result, indented by one space per level. It writes the runs of
// [Result.ListRuns], which must have been called, one by one: memory may not hold thousands
// of them twice.
func (r *Result) WriteJSON(w io.Writer) error {
	var text bytes.Buffer
	head := *r
	head.Runs, head.runList = []RunResult{}, nil
	if err := report.WriteIndented(&text, head, "", " "); err != nil {
		return err
	}
	const empty = "[]\n}\n" // the list of runs is the last field
	start, found := bytes.CutSuffix(text.Bytes(), []byte(empty))
	if !found {
		return errors.New("the list of runs is not the last part of a study")
	}
	out := bufio.NewWriter(w)
	out.Write(start) // errors are kept until Flush
	before, end := "[\n  ", empty
	for run := range r.runList {
		text.Reset()
		if err := report.WriteIndented(&text, run, "  ", " "); err != nil {
			return err
		}
		out.WriteString(before)
		out.Write(bytes.TrimSuffix(text.Bytes(), []byte{'\n'}))
		before, end = ",\n  ", "\n ]\n}\n"
	}
	out.WriteString(end)
	return out.Flush()
}
