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
	Talk    []string     `json:"talk"` // lines for standard error
	Outputs []outputText `json:"outputs"`
	Status  ExitCode     `json:"status"`
	Message string       `json:"message"` // why the status is what it is
}

// outputText is a text and where it goes: "-" for standard output, else a file.
type outputText struct {
	To   string `json:"to"`
	Size int    `json:"size"` // bytes
	text []byte
}

// render makes the texts that the flags ask for; the table as text where
// nothing else goes to standard output.
func (t *comparisonOutput) render(o *compareOptions, s *study) error {
	text := "-"
	if slices.Contains([]string{o.csv, o.markdown, o.latex, o.json, o.html}, "-") {
		text = ""
	}
	for _, out := range []struct {
		to    string
		write func(io.Writer) error
	}{
		{o.csv, s.table.WriteCSV},
		{o.markdown, s.table.WriteMarkdown},
		{o.latex, s.table.WriteLaTeX},
		{o.json, s.result.WriteJSON},
		{o.html, func(w io.Writer) error { return page.WriteCampaign(w, s.result) }},
		{text, func(w io.Writer) error { return writeText(w, s) }},
	} {
		if out.to == "" {
			continue
		}
		var b bytes.Buffer
		if err := out.write(&b); err != nil {
			return err
		}
		t.Outputs = append(t.Outputs, outputText{out.to, b.Len(), b.Bytes()})
	}
	return nil
}

func writeText(w io.Writer, s *study) error {
	if err := s.table.WriteText(w, plaintext.Clean); err != nil {
		return err
	}
	if len(s.result.Changes) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w); err != nil {
		return err
	}
	return campaign.ChangeTable(s.result.Changes).WriteText(w, plaintext.Clean)
}

// judge sets the exit status: whether a limit is exceeded.
func (t *comparisonOutput) judge(set *campaign.Set, changes []campaign.Change, limits []campaign.Limit) error {
	var worse []string
	for i := range limits {
		covered := false
		for k := range changes {
			c := &changes[k]
			if !limits[i].Covers(c.Metric) {
				continue
			}
			covered = true
			if limits[i].Exceeded(c) {
				worse = append(worse, fmt.Sprintf("%s got worse than %s allows: %s", c.Scenario, limits[i].Text, c.Line()))
			}
		}
		if !covered {
			return fmt.Errorf("--fail-on %s: no run and its baseline have such a figure", limits[i].Text)
		}
	}
	switch {
	case len(worse) > 0:
		t.Status, t.Message = ExitWorse, strings.Join(worse, "\n")
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
	a.sayWarnings(t.Talk)
	for _, out := range t.Outputs {
		if out.To != "-" {
			if err := output.Write(out.To, func(w io.Writer) error { _, err := w.Write(out.text); return err }); err != nil {
				return err
			}
		}
	}
	for _, out := range t.Outputs {
		if out.To == "-" {
			if _, err := a.Out.Write(out.text); err != nil {
				return err
			}
		}
	}
	if t.Status != ExitOK {
		return &statusError{t.Status, t.Message}
	}
	return nil
}
