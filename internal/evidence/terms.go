package evidence

import (
	_ "embed"
	"encoding/json"
	"strings"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/report"
)

// term is a figure of records in the words of explain.
type term struct {
	Field      string // in reports
	Unit       string
	Of         string // the part of a report that has it: see holders
	SS         string // where ss prints it
	Definition string
	Caveats    string
}

// holders has, by the part of a report that has a figure, where it stands there and the struct of
// Linux that it comes from. "connection" is a socket of Multipath TCP, "series" a subflow in
// series.csv only.
var holders = map[string]struct{ place, source string }{
	"subflow":    {"subflows.kernel.", "tcp_info"},
	"connection": {"kernel.", "mptcp_info"},
	"series":     {"", "tcp_info"},
}

// termRows has the terms in the order of the report.
//
//go:embed terms.json
var termRows []byte

// suffixes are the units at the ends of names.
var suffixes = []string{"_segments", "_bytes", "_mbps", "_ms", "_rows"}

// Terms returns what explain says of the figures of records. Their names begin with kernel_, as in
// series.csv and compare.
func Terms() (all []catalogue.Metric) {
	series := map[string]bool{}
	for _, name := range SeriesNames() {
		series[name] = true
	}
	var terms []term
	if err := json.Unmarshal(termRows, &terms); err != nil {
		panic("evidence: terms.json: " + err.Error()) // a test reads the file
	}
	for i := range terms {
		t, in := &terms[i], holders[terms[i].Of]
		full := "kernel_" + t.Field
		m := catalogue.Metric{
			Name: full, JSON: in.place + t.Field, Also: []string{}, Unit: t.Unit, Levels: []catalogue.Level{catalogue.OfReport}, Better: catalogue.NeitherIsBetter,
			Definition: t.Definition, Formula: t.SS, Source: "Linux, struct " + in.source + ", as ss prints it",
			Evidence: catalogue.Evidence{Sender: string(report.FromKernel), Receiver: string(report.FromKernel), Both: string(report.FromKernel)},
			Caveats:  t.Caveats, Series: series[full],
		}
		for _, suffix := range suffixes {
			if short, cut := strings.CutSuffix(full, suffix); cut {
				m.Also = []string{short}
			}
		}
		if full == "kernel_bytes_sent" && t.Of == "subflow" {
			m.Also = []string{"kernel_bytes_sent_all_paths"}
		}
		if t.Of == "series" {
			m.JSON = ""
		}
		all = append(all, m)
	}
	return all
}
