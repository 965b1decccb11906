package evidence

import (
	"cmp"
	_ "embed" // the tables
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// causeTables is what causes.json holds: the table of causes, and that of what excludes one.
//
// Of the causes whose tests hold the first one counts. The bounds are from sessions with known causes;
// what lies between two of them proves no cause. A state of a host before and after, and a rule, are
// causes on the device and the addresses that they name. A counter of a whole host is one where it can
// count no other connection ("alone"). What ends a subflow drops all that comes later: it explains that a
// path died, and the waits for it, but no losses between segments that arrived.
type causeTables struct {
	Causes, Excluded []cause
	Computed         map[string]computed
}

//go:embed causes.json
var causeRows []byte

var tables = sync.OnceValue(func() causeTables { return catalogue.Read[causeTables](causeRows) })

// A cause is a row: what records must say for a verdict to have a cause. In a row of what excludes a
// cause, it is what they must say for the cause not to lie at their host.
type cause struct {
	Code     report.CauseCode     `json:"cause"`
	Verdicts []report.VerdictCode `json:"verdicts"`
	Role     string               `json:"host"`    // whose records prove it; see [question.sides]
	Nobody   bool                 `json:"nobody"`  // it lies at none of the hosts
	When     []string             `json:"when"`    // expressions of facts; all of them hold
	Alone    bool                 `json:"alone"`   // records alone give the verdict
	Because  string               `json:"because"` // ${NAME} is the value of a fact, ${NAME|VERB} in another form; VERB may be name or text
	Lines    []proof              `json:"lines"`   // the first one stands in the sentence
}

// A computed is a fact that is made of others. What comes in and reaches no socket although no rule drops it is
// fragments, packets from an address that another device should have (rp_filter), those without a route,
// cut ones, and those to groups: where they were counted, what a rule dropped is not known.
type computed struct {
	Of          []string // facts, of which one must be known; the largest is cited, and is the value if there is no other
	When        []string // it is known only if all of these hold
	Value       string   // an expression of facts
	Field, Unit string   // empty for those of the fact that is cited
}

// A proof is a fact whose line is cited.
type proof struct {
	Fact string   `json:"fact"`
	If   []string `json:"if"`   // it is cited only if these hold
	Text string   `json:"text"` // empty for that of the cause
}

// sides returns the sides that have a role in what a verdict says; none if that is not known.
func (q *question) sides(role string) []int {
	var sub report.Subflow
	if q.sub != noSubflow {
		sub = q.conn.Subflows[q.sub]
	}
	sender, receiver, _ := strings.Cut(string(q.direction), "2")
	switch role {
	case "either":
		return []int{0, 1}
	case "joiner": // to which the other one announced an address; a, if none is asked for
		if q.code != report.VerdictSinglePath {
			return slices.DeleteFunc([]int{0, 1}, func(side int) bool { return !q.announced(1 - side) })
		}
		role = "opener"
	case "responder": // to which the SYN of the subflow went
		role = map[report.Side]string{report.SideA: "accepter", report.SideB: "opener"}[report.Known(sub.Initiator)]
	}
	who := map[string]string{
		"opener": "a", "accepter": "b", "sender": sender, "receiver": receiver, // of the direction
		"capturing": string(q.conn.Vantage),             // where the capture was taken
		"closer":    string(report.Known(sub.ClosedBy)), // that closed the subflow
	}[role]
	if who != "a" && who != "b" {
		return nil
	}
	return []int{sideOf(who)}
}

// A question is a verdict, or what could be one, beside the records of one side.
type question struct {
	*causeFinder
	code      report.VerdictCode
	direction report.Direction // empty for none
	sub       int              // noSubflow for none
	endpoint  *hosts.Record    // nil for none
	begins    float64          // when what the verdict says began, s since the connection's start; infinite if that is not known
	back      bool             // packets passed again on a path that died
	side      int
	totals    [2]figures // by side; nil until they are asked for
}

const noSubflow = -1

// ask returns the question that a verdict is.
func (s *causeFinder) ask(v *report.Verdict) *question {
	q := &question{causeFinder: s, code: v.Code, direction: report.Known(v.Direction), sub: noSubflow, begins: math.Inf(1)}
	if v.Subflow != nil && !s.plain {
		q.sub = *v.Subflow
	}
	for _, e := range v.Evidence {
		if e.TS != nil {
			q.begins = min(q.begins, *e.TS)
		}
	}
	for _, e := range v.Evidence {
		q.back = q.back || q.code == report.VerdictPathDied && e.TS != nil && e.Subflow != nil && *e.Subflow == q.sub && *e.TS > q.begins
	}
	return q
}

// A finding is a cause that records prove.
type finding struct {
	*cause
	host    int    // side whose records prove it
	device  string // of that host, that the path runs over; empty where that is not known
	because string // its sentence, as what follows "because"
	lines   []report.KernelLine
}

// find returns the first cause of the table that the records prove; nil for none.
func (q *question) find() *finding {
	for i := range tables().Causes {
		c := &tables().Causes[i]
		if !slices.Contains(c.Verdicts, q.code) {
			continue
		}
		for _, q.side = range q.sides(c.Role) {
			if q.hosts[q.side] != nil && q.all(c.When) {
				return q.finding(c)
			}
		}
	}
	return nil
}

// all reports whether all tests hold. A fact that is not known holds no test, and one that stands alone must be known.
func (q *question) all(tests []string) bool {
	return !slices.ContainsFunc(tests, func(text string) bool { return math.IsNaN(q.evaluate(text)) })
}

// evaluate returns the value of an expression of facts.
func (q *question) evaluate(text string) float64 {
	return compile(text, func(name string) func(*question) float64 { return func(q *question) float64 { return q.value(name) } })(q)
}

// value returns the value of a fact; NaN if it is not known.
func (q *question) value(name string) float64 {
	if f, ok := q.fact(name); ok {
		return f.value
	}
	return math.NaN()
}

// finding returns a cause whose tests hold, with its sentence and lines.
func (q *question) finding(c *cause) *finding {
	f := &finding{cause: c, host: q.side, because: q.filled(c.Because)}
	if q.hosts[q.side] != nil {
		f.device = q.path()
	}
	for _, p := range c.Lines {
		v, ok := q.fact(p.Fact)
		if !ok || !q.all(p.If) {
			continue
		}
		text := q.filled(cmp.Or(p.Text, c.Because))
		f.lines = append(f.lines, q.line(v.side, v.at, v.field, v.value, v.unit, text))
	}
	if c.Nobody {
		slices.SortStableFunc(f.lines, func(a, b report.KernelLine) int { return strings.Compare(string(a.Host), string(b.Host)) })
	}
	return f
}

// filled puts the values of facts into a text.
func (q *question) filled(text string) string {
	return os.Expand(text, func(place string) string {
		name, verb, _ := strings.Cut(place, "|")
		switch f, _ := q.fact(name); {
		case name == "host":
			return sideName(q.side)
		case name == "peer":
			return sideName(1 - q.side)
		case verb == "name":
			return f.name
		case verb == "text":
			return f.text
		default:
			return fmt.Sprintf(cmp.Or(verb, "%.0f"), f.value)
		}
	})
}
