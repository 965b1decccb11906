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
	"slices"
	"strconv"
	"sync"

	"mpanalyze/internal/evidence"
	"mpanalyze/internal/overlay"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/timeline"
)

//go:embed page.html
var markup string

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
	// maxGlance bounds the connections whose key figures stand at the top of the page. maxOpen
	// bounds the connections whose sections are unfolded and printed. Both take the connections
	// with the most data.
	maxGlance, maxOpen = 3, 3
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
	Rows                 []row
	Unlisted, Undetailed int
	Lost                 int64
	TCP                  []report.TCP // bounded by maxListed
	Sections             []section
	Glance               []glance
	Fairness             []string
	Data                 template.JS
	inline
}

// chartsOf returns the charts of a connection that has a section.
func (c *content) chartsOf(x *report.Connection) []chart {
	i := slices.IndexFunc(c.Sections, func(s section) bool { return s.Connection == x })
	if i < 0 {
		return nil
	}
	return c.Sections[i].Charts
}

// row is a connection in the table of all connections.
type row struct {
	*report.Connection
	Detailed bool
}

// section is a connection with everything that the page shows about it.
type section struct {
	*report.Connection
	Flows  []flow
	Charts []chart
	Absent []string // why series beside the captures have no chart
	Open   bool     // it is unfolded
	Brief  string
	Events []report.Event
	Hidden int64
}

// flow is one direction of a subflow.
type flow struct {
	*report.Subflow
	Direction string
	Dir       *report.SubDir
	Figures   []number
}

// number is a figure, or why there is none.
type number struct {
	Known bool
	Value float64
	Why   string
}

// tmpl is parsed on first use, because most runs of the program write no page.
var tmpl = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"clean": plaintext.Clean,
		"count": grouped,
		"why": func(r report.Reasons, metric string) string {
			text, _ := r.Of(metric)
			return plaintext.Clean(text)
		},
		"amount":    func(p report.Proof) string { return plaintext.Amount(&p) },
		"kernel":    said,
		"moment":    func(t *float64) string { return fmt.Sprintf("%.3f", *t) },
		"possible":  possible,
		"checksums": plaintext.Checksums,
		"many":      many,
		"ends":      ends,
		"asked":     asked,
		"verdicts":  report.Known[report.List[report.Verdict]],
	}).Parse(markup))
})

// Write writes the page on a document, with charts of the series in the store and of those beside
// the captures.
func Write(w io.Writer, doc *report.Document, store *timeline.Store, beside ...overlay.Series) error {
	c := &content{Title: "Report on " + subject(doc), Doc: doc, Lost: store.Dropped(), inline: newInline()}
	most := byData(doc)
	detailed := most[:min(len(most), maxSections)]
	c.Undetailed = len(most) - len(detailed)
	listed := most[:min(len(most), maxListed)]
	c.Unlisted = len(most) - len(listed)
	c.TCP = doc.TCP[:min(len(doc.TCP), maxListed)]
	c.Sections = sections(detailed, doc, store, beside)
	for _, x := range most[:min(len(most), maxGlance)] {
		c.Glance = append(c.Glance, glanceOf(x, c.chartsOf(x)))
	}
	c.Fairness = plaintext.Fairness(doc.Fairness)
	for i := range c.Sections {
		c.Sections[i].Open = slices.Contains(most[:min(len(most), maxOpen)], c.Sections[i].Connection)
	}
	for _, x := range inOrder(listed) {
		c.Rows = append(c.Rows, row{x, slices.Contains(detailed, x)})
	}
	data, err := encode(c.Sections)
	if err != nil {
		return err
	}
	c.Data = template.JS(data) // numbers, and strings that encode escapes
	return execute(w, tmpl(), c)
}

// execute writes a page as a whole, or nothing of it.
func execute(w io.Writer, t *template.Template, content any) error {
	var page bytes.Buffer
	if err := t.Execute(&page, content); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	_, err := page.WriteTo(w)
	return err
}

// inline holds the style and the script of a page, and their hashes.
type inline struct {
	Style                 template.CSS
	Script                template.JS
	StyleHash, ScriptHash string
}

func newInline() inline {
	return inline{template.CSS(style), template.JS(script), hash(style), hash(script)}
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
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
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

func inOrder(list []*report.Connection) []*report.Connection {
	return slices.SortedFunc(slices.Values(list), func(a, b *report.Connection) int { return cmp.Compare(a.ID, b.ID) })
}

func sections(list []*report.Connection, doc *report.Document, store *timeline.Store, beside []overlay.Series) (out []section) {
	list = inOrder(list)
	drawn := draw(list, doc, store, beside)
	for i, x := range list {
		_, absent := overlays(x, doc, beside, leastColumns)
		s := section{Connection: x, Charts: drawn[i], Absent: absent, Events: x.Events, Hidden: x.EventsOmitted, Brief: brief(x)}
		if len(s.Events) > maxEvents {
			s.Hidden += int64(len(s.Events) - maxEvents)
			s.Events = s.Events[:maxEvents]
		}
		for j := range x.Subflows {
			sub := &x.Subflows[j]
			for k, dir := range sub.Dirs() {
				if dir != nil {
					s.Flows = append(s.Flows, flowOf(sub, string(report.Directions[k]), dir))
				}
			}
		}
		out = append(out, s)
	}
	return out
}

func flowOf(sub *report.Subflow, direction string, d *report.SubDir) flow {
	f := flow{Subflow: sub, Direction: direction, Dir: d}
	add := func(metric string, v *float64) {
		n := number{Known: v != nil}
		if v != nil {
			n.Value = *v
		} else {
			n.Why, _ = d.Unavailable.Of(metric)
		}
		f.Figures = append(f.Figures, n)
	}
	add("share_percent", d.Share)
	add("throughput_mbps", average(d.Throughput, func(s *report.RateStat) *float64 { return &s.Avg }))
	add("srtt_ms", average(d.SRTT, func(s *report.SRTTStat) *float64 { return &s.Avg }))
	add("path_delay_ms", average(d.PathDelay, func(s *report.Stat) *float64 { return &s.Avg }))
	add("hol_wait_ms", average(d.HoLWait, func(s *report.WaitStat) *float64 { return &s.Avg }))
	return f
}

func average[S any](s *S, of func(*S) *float64) *float64 {
	if s == nil {
		return nil
	}
	return of(s)
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
