package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/diff"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// diffOptions is the command line of diff.
type diffOptions struct {
	source
	normalise  bool
	json       jsonOutput
	tolerances []diff.Tolerance
}

func newDiff(a *app) *cobra.Command {
	o := &diffOptions{}
	c := command("diff", func(c *cobra.Command, args []string) error {
		if len(args) != 2 {
			return mistakes(c, errors.New("diff takes two files, the old one and the new one"))
		}
		return files(c, args)
	}, reading(a, a.diff, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	f.Func("tolerance", "let numbers differ: a `LIST` of NAME=AMOUNT, as in srtt=5%,bytes=0 or '*=1%'; may be repeated", eachWord(o.addTolerance))
	f.BoolVar(&o.normalise, "normalise", false, "leave out what always differs from run to run")
	o.json.register(c, "the differences as JSON")
	registerForms(c)
	complete(c, "tolerance", noSpace, toleranceStarts)
	return c
}

// toleranceStarts returns the beginnings of the values of --tolerance.
func toleranceStarts() []string {
	return described(metrics.Table(), func(m *catalogue.Metric) (string, bool) { return "=", hasNumbers(m) })
}

// addTolerance takes one of the values of --tolerance.
func (o *diffOptions) addTolerance(text string) error {
	t, err := diff.ParseTolerance(text)
	o.tolerances = append(o.tolerances, t)
	return err
}

// isJSON reports whether a file is JSON by its name, and no capture.
func isJSON(name string) bool {
	return strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".jsonl")
}

func (a *app) diff(c *cobra.Command, o *diffOptions, eo engine.Options) error {
	was, is := eo.Paths[0], eo.Paths[1]
	eo.Detail = report.WithData
	now, damage := a.jsonOf(c.Context(), eo, is)
	if now == nil {
		return damage
	}
	old, err := a.jsonOf(c.Context(), eo, was)
	if old == nil {
		return err
	}
	found := diff.Compare(old, now, &diff.Options{Normalise: o.normalise, Tolerances: o.tolerances})
	return errors.Join(damage, err, differs(a, is, was, found), o.json.write(a, func(w io.Writer) error {
		return report.WriteIndented(w, diff.Document{Schema: "mpanalyze.diff/1", Old: was, New: is, Differences: append([]diff.Difference{}, found...)}, "", " ")
	}, func(w io.Writer) error { return writeLines(w, found) }))
}

// jsonOf returns the JSON of a file. It is that of the report if the file
// is a capture. The error may say that a capture is damaged; then there is JSON all the same.
func (a *app) jsonOf(ctx context.Context, eo engine.Options, name string) (any, error) {
	text, damage := []byte(nil), error(nil)
	if isJSON(name) {
		text, damage = storage.ReadFile(name)
	} else {
		eo.Paths = []string{name}
		var b bytes.Buffer
		damage = a.stored(ctx, eo, func(s *report.Stored) error { return jsonreport.Write(&b, s) })
		text = b.Bytes()
	}
	if len(text) == 0 && damage != nil {
		return nil, damage
	}
	v, err := diff.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s: no JSON that can be compared: %w; a capture must not be named *.json", name, err)
	}
	return v, damage
}

// writeLines writes a line for each difference.
func writeLines[D fmt.Stringer](w io.Writer, found []D) error {
	var b strings.Builder
	for _, d := range found {
		b.WriteString(plaintext.Clean(d.String()) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}
