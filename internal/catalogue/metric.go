package catalogue

import (
	"slices"
	"strings"
)

// Level is what a metric describes.
type Level string

// The levels. A subflow direction is what one end sends over a subflow; a connection
// direction is one data sequence space.
const (
	OfSubflow       Level = "subflow"
	OfSubflowDir    Level = "subflow direction"
	OfConnectionDir Level = "connection direction"
	OfConnection    Level = "connection"
	OfEvent         Level = "event"
	OfReport        Level = "report"
	OfFigure        Level = "metric"  // a figure within a metric that has several
	OfVerdict       Level = "verdict" // a code of a verdict
)

// Better says which values of a metric are better.
type Better string

// The values of [Better].
const (
	HigherIsBetter  Better = "higher"
	LowerIsBetter   Better = "lower"
	NeitherIsBetter Better = "neither"
)

// Composite stands for the unit of a metric that is an object with several
// figures; the schema of the report gives the unit of each.
const Composite = "composite"

// VerdictUnit stands for the unit of a verdict, which has none.
const VerdictUnit = "verdict"

// Evidence says what a metric is derived from, by the place of the capture, in the words
// that reports use. A field is empty where a capture at that place does not suffice.
type Evidence struct {
	Sender   string `json:"sender"`   // at the sender of the data
	Receiver string `json:"receiver"` // at the receiver of the data
	Both     string `json:"both"`     // two captures, one at each
}

// The kinds of evidence. explain and docs/numbers.md say what each means.
const (
	Observed      = "observed"
	Echo          = "echo"
	Inferred      = "inferred"
	Holes         = "holes"
	SendOrder     = "send_order"
	Matched       = "matched"
	Reconstructed = "reconstructed"
)

// Metric is a row of the table of metrics: it says what a figure of the report means.
type Metric struct {
	Name       string            `json:"name"`       // without unit, as in series.csv
	JSON       string            `json:"json"`       // with unit, as in reports; empty for a series that no report has
	Symbol     string            `json:"symbol"`     // in the papers; empty for none
	Also       []string          `json:"also"`       // other names: of figures within it, or of the papers
	Figures    map[string]string `json:"-"`          // by another name or symbol, the figure within the metric that it stands for
	Unit       string            `json:"unit"`       // "1" for a pure number
	Levels     []Level           `json:"levels"`     // the parts of a report that have it
	Better     Better            `json:"better"`     // which values are better
	Definition string            `json:"definition"` // for people: a paragraph a line; a line that begins with "- " is an item of a list
	Formula    string            `json:"formula"`    // empty where the definition suffices; has such lines, too
	Source     string            `json:"source"`     // paper, by its short name, or RFC section
	Evidence   Evidence          `json:"evidence"`
	Caveats    string            `json:"caveats"` // empty for none
	Series     bool              `json:"series"`  // whether series.csv can hold it
	Holds      bool              `json:"holds"`   // whether a value of the series is valid until the next one; then equal values in a row are left out, except the last
	Family     Families          `json:"family"`  // which --metric of analyze computes it, "basic" where any does
	Option     string            `json:"option"`  // the flag that asks for this metric alone, as "--extra regret"; empty for none
	Remedy     string            `json:"remedy"`  // what to do about a verdict; empty for a metric
	Form       Form              `json:"-"`       // type of its field in the report on a direction, which is made from this row; empty where it is on no direction
	BothEnds   bool              `json:"-"`       // whether it needs packets of both ends of a subflow: neither the data nor its acknowledgments alone show it
	Timed      bool              `json:"-"`       // whether it depends on times although its unit is neither ms nor a number per second
}

// Form is the Go type of a figure's field in the report: one of these, or a type of package
// report.
type Form string

// The usual forms. A pointer is null where the figure is absent.
const (
	Distribution Form = "*Stat"    // mean, extremes and percentiles of values
	Number       Form = "*float64" // one number
	Count        Form = "*int64"   // one whole number
	Total        Form = "int64"    // one whole number that every capture shows
)

// AtReceiverOnly reports whether only a capture at the receiver of the data shows m.
func (m *Metric) AtReceiverOnly() bool { return m.Evidence.Sender == "" && m.Evidence.Receiver != "" }

// DependsOnTimes reports whether m is unknown where times cannot be compared.
func (m *Metric) DependsOnTimes() bool {
	return m.Timed || m.Unit == "ms" || strings.HasSuffix(m.Unit, "/s")
}

// The usual levels, and the evidence of metrics that every capture shows.
var (
	InSubflow    = []Level{OfSubflow}
	InSubflowDir = []Level{OfSubflowDir}
	InConnDir    = []Level{OfConnectionDir}
	InBothDirs   = []Level{OfSubflowDir, OfConnectionDir}
	Everywhere   = Evidence{Observed, Observed, Observed}
)

// Lookup returns the rows of that name, with or without unit.
func Lookup(rows []Metric, name string) (found []Metric) {
	for _, m := range rows {
		if m.Name == name || m.JSON == name {
			found = append(found, m)
		}
	}
	return found
}

// Papers has the short names of the studies that define metrics, and their full titles.
var Papers = []struct{ Short, Full string }{
	{"FI23", "Łuczak, Ignaciuk, Morawski: Evaluating MPTCP Congestion Control Algorithms: Implications for Streaming in Open Internet. Future Internet 15(10):328, 2023"},
	{"FED23", "conference paper of the group of FI23: Reno and BBR under LIA, OLIA, BALIA and wVegas, 2023"},
	{"QoE24", "Taleb, Ito, Kato: throughput-based congestion control of MPTCP and schedulers for WebQoE, 2024"},
	{"REC16", "MPTCP-rec: receiver-centric buffer blocking-aware data scheduling, 2016"},
	{"MIX", "study of all pairs of congestion controls on two sub-paths (fibre and LTE/GPRS)"},
}

// maxNear bounds the suggestions.
const maxNear = 5

// Near returns the names that are most similar to name, the nearest first, each once, at
// most five.
func Near(name string, names []string) []string {
	type candidate struct {
		name string
		far  int
	}
	var near []candidate
	for _, n := range names {
		far := distance(strings.ToLower(name), n)
		part := len(name) > 2 && strings.Contains(n, strings.ToLower(name))
		if far <= max(1, len(name)/3) || part {
			near = append(near, candidate{n, far})
		}
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return a.far - b.far })
	var out []string
	for _, c := range near {
		if !slices.Contains(out, c.name) && len(out) < maxNear {
			out = append(out, c.name)
		}
	}
	return out
}

// DidYouMean suggests known names that are similar to name, behind a message. It returns "" if there are
// none.
func DidYouMean(name string, known []string) string {
	near := Near(name, known)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, ", ") + "?"
}

// distance returns how many changes turn a into b: insert, delete or replace a byte, or
// swap two neighbours (optimal string alignment).
func distance(a, b string) int {
	before, above, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := above[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return above[len(b)]
}

// The ends that the figures of two captures come from.
const (
	AtSender   = "sender"   // the capture at the sender of the data
	AtReceiver = "receiver" // the capture at the receiver of the data
	AtBoth     = "both"     // both captures together
)

// Further ends of the figures of a campaign.
const (
	AtMiddle    = "middle" // a capture between the hosts
	SeveralEnds = "several"
	AtBetween   = "between" // the same as AtMiddle, of one capture
)

// endWords are the ends in words.
var endWords = map[string]string{
	AtSender: "at the sender", AtReceiver: "at the receiver", AtBoth: "from both captures",
	AtMiddle: "from captures between the hosts", SeveralEnds: "from captures at different places",
	AtBetween: "between the hosts",
}

// EndWords says in words where a figure comes from; empty where that is not known.
func EndWords(end string) string { return endWords[end] }

// beginAtArrival names the metrics that begin with the arrival of data. Of two captures the
// receiver's shows it; the sender's shows only when an acknowledgment comes back.
var beginAtArrival = []string{"hol_wait", "hol_blocking", "hole_fills"}

// usuallyAtReceiver names the metrics that, without a choice of the end, come from the
// receiver's capture, because the sender's shows them too low.
var usuallyAtReceiver = []string{"hol_degree", "hol_degree_all_paths", "hol_queue"}

// FromTwo returns where a metric comes from if both hosts were captured, and the metrics that
// both captures show come from end. If end is empty, no end was chosen: then these metrics come
// from the sender's capture, with few exceptions.
func (m *Metric) FromTwo(end string) string {
	switch {
	case m.Name == "drops", m.Evidence.Receiver == "" && m.Evidence.Both == Matched:
		return AtBoth
	case m.Evidence.Receiver == "":
		return AtSender
	case m.AtReceiverOnly(), m.Evidence.Sender == SendOrder, slices.Contains(beginAtArrival, m.Name):
		return AtReceiver
	case end != "":
		return end
	case slices.Contains(usuallyAtReceiver, m.Name):
		return AtReceiver
	}
	return AtSender
}

// Usual returns the statistic that stands for a metric where none is named: the average. The
// smoothed round-trip time is averaged over the cells of the protocol delay, so that its
// tables and figures go together with those of the delays.
func (m *Metric) Usual() string {
	if m.Name == "srtt" {
		return "cell_mean"
	}
	return "avg"
}
