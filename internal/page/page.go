package page

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/evidence"
	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/plot"
	"mpanalyze/internal/report"
	"mpanalyze/internal/sentences"
	"mpanalyze/internal/timeline"
)

//go:embed page.html
var markup string

//go:embed campaign.html
var campaignMarkup string

//go:embed page.css
var style string

//go:embed page.js
var script string

const (
	// maxListed bounds the rows of the table of connections, because browsers get slow with
	// more rows.
	maxListed = 2000
	// maxSections bounds the connections that have a section with charts.
	maxSections = 40
	// maxOpen bounds the connections whose key figures stand at the top of the page, and whose
	// sections are unfolded and printed: those with the most data.
	maxOpen = 3
	// maxEvents bounds the events that are listed for one connection.
	maxEvents = 300
)

// Config returns what a store must collect for the page.
func Config() timeline.Config {
	c := timeline.Config{Chunks: true}
	for _, s := range charts {
		c.Series = append(c.Series, s.metrics...)
		for _, m := range s.metrics {
			for _, o := range evidence.Overlays(m) {
				c.Series = append(c.Series, o.Series)
			}
		}
	}
	c.Series = append(c.Series, "rwnd", "time_account")
	return c
}

// content is what the template shows.
type content struct {
	Title                string
	Doc                  *report.Document
	Rows                 []*report.Connection // of the table of all connections
	Unlisted, Undetailed int
	Lost                 int64
	TCP                  []report.TCP // bounded by maxListed
	Sections             []section
	Detailed             map[int]bool // the ids of connections that have a section
	Glance               []section
	Fairness             []string
	Data                 template.JS
}

// section is a connection with everything that the page shows about it.
type section struct {
	*report.Connection
	Charts []chart
	Absent []string // why series beside the captures have no chart
	Open   bool     // it is unfolded
	Events []report.Event
	Hidden int64
}

// templates are parsed on first use, because most runs of the program write no page.
var templates = sync.OnceValue(func() *template.Template {
	pages := template.New("page").Funcs(template.FuncMap{
		"at":    catalogue.EndWords,
		"clean": plaintext.Clean,
		"count": grouped,
		"why": func(r report.Reasons, metric string) string {
			text, _ := r.Of(metric)
			return plaintext.Clean(text)
		},
		"amount":    func(p report.Proof) string { return plaintext.Amount(&p) },
		"checksums": plaintext.Checksums,
		"direction": func(i int) report.Direction { return report.Directions[i] },
		"hash":      hash,
		"kernel":    said,
		"many":      many,
		"number":    report.Known[float64],
		"paths":     pathsOf,
		"regret":    plaintext.Regret,
		"severe":    severe,
		"script":    func() template.JS { return template.JS(script) },
		"short":     func(v float64) string { return digits(v, 5) },
		"short3":    func(v float64) string { return digits(v, 3) },
		"spaced":    func(code report.CauseCode) string { return strings.ReplaceAll(string(code), "_", " ") },
		"streaming": plaintext.Streaming,
		"time":      func(x *report.TimeAccount) string { return strings.Join(x.Shares(plot.LeastShare), ", ") },
		"todo":      func(v report.Verdict) string { return sentences.For(&v) },
		"style":     func() template.CSS { return template.CSS(style) },
		"verdicts":  report.Known[report.List[report.Verdict]],
	})
	template.Must(template.Must(pages.Parse(markup)).New("campaign").Parse(campaignMarkup))
	return pages
})

// Write writes the page on a document, with charts of the series in the store and of those beside
// the captures.
func Write(w io.Writer, doc *report.Document, store *timeline.Store, beside ...overlay.Series) error {
	most := byData(doc)
	c := &content{
		Title: "Report on " + subject(doc), Doc: doc, Lost: store.Dropped(), Detailed: map[int]bool{},
		TCP: doc.TCP[:min(len(doc.TCP), maxListed)], Rows: most[:min(len(most), maxListed)], Fairness: plaintext.Fairness(doc.Fairness),
	}
	for i, x := range most[:min(len(most), maxSections)] {
		s := section{Connection: x, Open: i < maxOpen, Events: x.Events[:min(len(x.Events), maxEvents)]}
		s.Hidden = x.EventsOmitted + int64(len(x.Events)-len(s.Events))
		c.Sections, c.Detailed[x.ID] = append(c.Sections, s), true
	}
	draw(c.Sections, doc, store, beside)
	c.Glance = slices.Clone(c.Sections[:min(len(c.Sections), maxOpen)])
	c.Undetailed, c.Unlisted = len(most)-len(c.Sections), len(most)-len(c.Rows)
	slices.SortFunc(c.Sections, func(a, b section) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(c.Rows, func(a, b *report.Connection) int { return cmp.Compare(a.ID, b.ID) })
	data, err := encode(c.Sections)
	if err != nil {
		return err
	}
	c.Data = template.JS(data) // numbers, and strings that encode escapes
	return execute(w, "page", c)
}

// WriteCampaign writes the page on a comparison of scenarios.
func WriteCampaign(w io.Writer, r *campaign.Result) error { return execute(w, "campaign", r) }

// digits returns a number with n digits, or with all digits before the point if there are more.
func digits(v float64, n int) string {
	if math.Abs(v) >= math.Pow10(n)-0.5 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', n, 64)
}

// execute writes a page as a whole, or nothing of it.
func execute(w io.Writer, name string, content any) error {
	var page bytes.Buffer
	if err := templates().ExecuteTemplate(&page, name, content); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := page.WriteTo(w)
	return err
}

// subject names the captures.
func subject(doc *report.Document) string {
	switch len(doc.Captures) {
	case 0:
		return "no capture"
	case 1:
		return plaintext.Clean(doc.Captures[0].File)
	}
	return fmt.Sprintf("%s and %d more", plaintext.Clean(doc.Captures[0].File), len(doc.Captures)-1)
}

// hash returns the hash of an inline style or script, for the page's content security policy.
func hash(text any) string {
	sum := sha256.Sum256(fmt.Append(nil, text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// byData returns the connections, those with the most data first.
func byData(doc *report.Document) []*report.Connection {
	out := make([]*report.Connection, len(doc.Connections))
	for i := range out {
		out[i] = &doc.Connections[i]
	}
	slices.SortStableFunc(out, func(a, b *report.Connection) int {
		return cmp.Compare(b.A2B.Volume()+b.B2A.Volume(), a.A2B.Volume()+a.B2A.Volume())
	})
	return out
}

// many returns a number with its noun.
func many(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return grouped(int64(n)) + " " + what
}

// grouped returns a count with narrow spaces between thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

// severe returns the most severe of the verdicts, nil if nothing is wrong.
func severe(list report.List[report.Verdict]) *report.Verdict {
	if len(list) == 0 || list[0].Severity == report.Fine {
		return nil
	}
	return &list[0]
}

// pathsOf names the eight paths that carried most.
func pathsOf(d *report.ConnDir) string {
	var list []string
	paths := slices.Clone(d.Paths)
	slices.SortStableFunc(paths, func(a, b report.PathShare) int {
		return int(report.Known(b.Bytes) - report.Known(a.Bytes))
	})
	for i := range paths {
		if p := &paths[i]; p.Percent != nil {
			list = append(list, fmt.Sprintf("%s carried %s %%", p.Path, digits(*p.Percent, 3)))
		}
	}
	if others := len(list) - 8; others > 0 {
		list = append(list[:8], fmt.Sprintf("and %d more", others))
	}
	return strings.Join(list, ", ")
}

// said writes the value of a line of records, which is mostly a whole number, with its unit.
func said(k report.KernelLine) string {
	if k.Value != nil && *k.Value == math.Trunc(*k.Value) && math.Abs(*k.Value) < 1<<53 {
		text := grouped(int64(*k.Value))
		if k.Unit != nil && *k.Unit != "count" && *k.Unit != "ratio" {
			text += " " + plaintext.Clean(*k.Unit)
		}
		return text
	}
	return plaintext.Amount(&report.Proof{Value: k.Value, Unit: k.Unit})
}
