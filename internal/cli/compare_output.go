package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/output"
	"mpanalyze/internal/page"
	"mpanalyze/internal/plaintext"
)

// comparisonOutput is everything that a comparison prints and writes. The cache keeps it,
// so that equal captures and options are not analysed again.
type comparisonOutput struct {
	Messages []string     `json:"messages"` // lines for standard error
	Outputs  []outputText `json:"outputs"`
	Status   ExitCode     `json:"status"`
	Message  string       `json:"message"` // why the status is what it is

	direct []pendingOutput // written without a copy in memory, and not kept in the cache
}

// outputText is a text and where it goes: "-" for standard output, else a file.
type outputText struct {
	To   string `json:"to"`
	Size int    `json:"size"` // bytes
	text []byte
}

// pendingOutput is a text that is not yet made, and where it goes.
type pendingOutput struct {
	to    string // "-" for standard output
	write func(io.Writer) error
}

// pendingOutputs returns the texts that the flags ask for. If no other text goes to standard
// output, the table goes there as text.
func pendingOutputs(o *compareOptions, s *study) (all []pendingOutput) {
	text := "-"
	if slices.Contains([]string{o.csv, o.values, o.markdown, o.latex, o.json, o.html}, "-") {
		text = ""
	}
	all = []pendingOutput{
		{o.csv, s.table.WriteCSV},
		{o.values, s.set.WriteValues},
		{o.markdown, s.table.WriteMarkdown},
		{o.latex, func(w io.Writer) error { return o.look.writeLaTeX(w, s.table) }},
		{o.json, s.result.WriteJSON},
		{o.html, func(w io.Writer) error { return page.WriteCampaign(w, s.result) }},
		{text, func(w io.Writer) error { return writeText(w, s, &o.look) }},
	}
	return slices.DeleteFunc(all, func(p pendingOutput) bool { return p.to == "" })
}

// render makes the texts, so that they can be kept.
func (t *comparisonOutput) render(o *compareOptions, s *study) error {
	for _, out := range pendingOutputs(o, s) {
		var b bytes.Buffer
		if err := out.write(&b); err != nil {
			return err
		}
		t.Outputs = append(t.Outputs, outputText{out.to, b.Len(), b.Bytes()})
	}
	return nil
}

func writeText(w io.Writer, s *study, look *tableOptions) error {
	if err := s.table.WriteText(w, plaintext.Clean, look.terminal); err != nil {
		return err
	}
	var more []*campaign.Table
	if len(s.result.Aggregation) > 0 && !s.aggregation {
		more = append(more, campaign.AggregationTable(s.result.Aggregation, look.style()))
	}
	if len(s.result.Changes) > 0 {
		more = append(more, campaign.ChangeTable(s.result.Changes, look.style()))
	}
	for _, t := range more {
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
		if err := t.WriteText(w, plaintext.Clean, look.terminal); err != nil {
			return err
		}
	}
	return nil
}

// judge sets the exit status and its message: a limit is exceeded, or there are too few runs
// to tell.
func (t *comparisonOutput) judge(set *campaign.Set, changes []campaign.Change, limits []campaign.Limit) error {
	var worse, unknown []string
	for i := range limits {
		judged := limits[i].Judge(changes, set.Confidence)
		if len(judged) == 0 {
			return fmt.Errorf("--fail-on %s: no run and its baseline have such a figure", limits[i].Text)
		}
		for _, j := range judged {
			switch c := j.Change; {
			case j.Exceeded:
				worse = append(worse, fmt.Sprintf("%s got worse than %s allows: %s", c.Scenario, limits[i].Text, c.Line()))
			case j.CannotTell:
				unknown = append(unknown, fmt.Sprintf("%s: cannot tell whether it got worse than %s allows: %s, with %d against %d runs; %s",
					c.Scenario, limits[i].Text, c.Line(), c.RunsAfter, c.RunsBefore, campaign.RunsNeeded(changes, c.Metric, set.Confidence)))
			}
		}
	}
	switch {
	case len(worse) > 0:
		t.Status, t.Message = ExitWorse, strings.Join(append(worse, unknown...), "\n")
	case len(unknown) > 0:
		t.Status, t.Message = ExitCannotTell, strings.Join(unknown, "\n")
	case len(set.Skipped) > 0:
		t.Status = ExitDamaged
	}
	return nil
}

// marshal returns a line of JSON and the texts after it.
func (t *comparisonOutput) marshal() ([]byte, error) {
	text, err := json.Marshal(t)
	text = append(text, '\n')
	for _, out := range t.Outputs {
		text = append(text, out.text...)
	}
	return text, err
}

// readOutput reads what marshal returned.
func readOutput(text []byte) (*comparisonOutput, error) {
	head, rest, _ := bytes.Cut(text, []byte{'\n'})
	t := &comparisonOutput{}
	if err := json.Unmarshal(head, t); err != nil {
		return nil, err
	}
	for i := range t.Outputs {
		out := &t.Outputs[i]
		if out.Size < 0 || out.Size > len(rest) {
			return nil, errors.New("what was kept of a comparison is cut")
		}
		out.text, rest = rest[:out.Size], rest[out.Size:]
	}
	return t, nil
}

// writeOutput writes all of it. Files come first: a reader of standard output that closes
// it early does not prevent them.
func (a *app) writeOutput(t *comparisonOutput) error {
	a.sayWarnings(t.Messages)
	all := t.direct
	for _, out := range t.Outputs {
		all = append(all, pendingOutput{out.To, func(w io.Writer) error { _, err := w.Write(out.text); return err }})
	}
	for _, out := range all {
		if out.to != "-" {
			if err := output.Write(out.to, out.write); err != nil {
				return err
			}
		}
	}
	for _, out := range all {
		if out.to == "-" {
			if err := out.write(a.Out); err != nil {
				return err
			}
		}
	}
	if t.Status != ExitOK {
		return &statusError{t.Status, t.Message}
	}
	return nil
}
