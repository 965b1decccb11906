package campaign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

const delay = "b2a.protocol_delay_ms.avg"

// crossed is a campaign of schedulers and controllers. Each scenario in order has so many runs,
// whose delays are first, first+1 and so on.
func crossed(runs int, first map[string]float64, order ...string) *Set {
	var inputs []Input
	var outcomes []Outcome
	for _, name := range order {
		scheduler, cc, _ := strings.Cut(name, "/")
		for i, s := range spread(runs, first[name]) {
			run, err := Extract(s.document(), AnyConnection)
			inputs = append(inputs, Input{Scenario: name, Name: fmt.Sprint(i), Factors: []Factor{{"scheduler", scheduler}, {"cc", cc}}})
			outcomes = append(outcomes, Outcome{run, err})
		}
	}
	return Group(inputs, outcomes, false)
}

// TestWithin: only scenarios of one scheduler are compared, and Holm's correction is for
// their pairs. 4 against 4 runs that do not overlap have p = 2/C(8,4) = 2/70.
func TestWithin(t *testing.T) {
	s := crossed(4, map[string]float64{"minrtt/lia": 20, "minrtt/olia": 40, "ecf/lia": 80, "ecf/olia": 60}, "minrtt/lia", "minrtt/olia", "ecf/lia", "ecf/olia")
	s.Within = "scheduler"
	got := s.Compare([]string{delay})
	assert.Assert(t, len(got) == 2, "%+v", got)
	for i, want := range []struct{ scheduler, a, b, winner string }{{"minrtt", "minrtt/lia", "minrtt/olia", "minrtt/lia"}, {"ecf", "ecf/lia", "ecf/olia", "ecf/olia"}} {
		c := got[i]
		assert.Check(t, *c.Within == (Factor{"scheduler", want.scheduler}) && c.winsClearly() && c.Winner == want.winner, "%s: %+v", want.scheduler, c)
		assert.Check(t, len(c.Pairs) == 1 && c.Pairs[0].A == want.a && c.Pairs[0].B == want.b, "%s: %+v", want.scheduler, c)
		p := *c.Pairs[0].PCorrected
		assert.Check(t, p >= 2./70-1e-9 && p <= 2./70+1e-9, "p %v, want 2/70", p)
	}
	few := s.tooFew()
	assert.Check(t, few == nil, "warnings %q", few)
	table := MetricTable(result(s, []string{delay}), s.Rows([]string{delay}))
	var best []bool
	for _, c := range table.Rows[0].Cells {
		best = append(best, c.Best)
	}
	assert.Check(t, is.DeepEqual(best, []bool{true, false, false, true}), "winners")
	columns := []Column{{"minrtt", "lia"}, {"minrtt", "olia"}, {"ecf", "lia"}, {"ecf", "olia"}}
	assert.Check(t, is.DeepEqual(table.Columns, columns), "columns")
	s = crossed(3, map[string]float64{"a/x": 20, "a/y": 20}, "a/x", "a/y")
	s.Within = "scheduler"
	notes := strings.Join(MetricTable(result(s, []string{delay}), s.Rows([]string{delay})).Notes, "\n")
	assert.Check(t, strings.Contains(notes, "1 pair in a row within one scheduler each scenario needs 4"), "notes %q", notes)
}

// TestEffects: medians over the controllers of the medians over runs, which are first+1. balia
// has no runs with ecf, so it does not count for the schedulers.
func TestEffects(t *testing.T) {
	s := crossed(3, map[string]float64{"minrtt/lia": 20, "minrtt/olia": 40, "minrtt/balia": 99, "ecf/lia": 30, "ecf/olia": 60},
		"minrtt/lia", "minrtt/olia", "minrtt/balia", "ecf/lia", "ecf/olia")
	got := s.Effects("scheduler", []string{delay, "b2a.nothing"})
	// A resampled median of three runs is the least, or the largest, of them with a probability
	// of 7/27. Both medians are so with (7/27)^2 = 0.067, which is more than a tail of 0.025.
	want := []Effect{{
		Metric: delay, Better: "lower", Factor: "scheduler", Over: []string{"lia", "olia"}, LeftOut: []string{"balia"},
		Levels: []Level{{"minrtt", (21 + 41) / 2, &[2]float64{(20 + 40) / 2, (22 + 42) / 2}, 6}, {"ecf", (31 + 61) / 2, &[2]float64{(30 + 60) / 2, (32 + 62) / 2}, 6}},
	}}
	assert.Check(t, is.DeepEqual(got, want))
	cc := s.Effects("cc", []string{delay})[0]
	d := cmp.Diff([]string{"minrtt"}, cc.Over)
	assert.Check(t, d == "" && len(cc.Levels) == 3 && cc.Levels[2].Median == 100 && cc.LeftOut[0] == "ecf", "controllers: %+v", cc)
	table := EffectTable(got, "scheduler", s.Rows([]string{delay}))
	d = cmp.Diff([]Column{{"scheduler", "minrtt"}, {"scheduler", "ecf"}}, table.Columns)
	assert.Check(t, d == "" && table.Rows[0].Cells[0].Text == "31 [30, 32]", "%+v", table)
	assert.Check(t, is.Equal(strings.Join(table.Notes, "\n"), "protocol delay av: without balia, of which not every scheduler has runs with the figure"), "notes")
	two := crossed(2, map[string]float64{"a/x": 20, "b/x": 30}, "a/x", "b/x").Effects("scheduler", []string{delay})[0]
	assert.Check(t, two.Levels[0].CI95 == nil && two.Levels[0].Median == 20.5, "an interval of two runs: %+v", two)
	few := crossed(2, map[string]float64{"a/x": 20, "b/x": 30}, "a/x", "b/x")
	notes := strings.Join(EffectTable([]Effect{two}, "scheduler", few.Rows([]string{delay})).Notes, "\n")
	assert.Check(t, notes == "no interval where a scenario has fewer than 3 runs with the figure", "notes %q", notes)
	var csv strings.Builder
	assert.NilError(t, EffectTable([]Effect{two}, "scheduler", few.Rows([]string{delay})).WriteCSV(&csv))
	const line = "\nprotocol delay,av,ms,b2a.protocol_delay_ms.avg,receiver,,20.5,2,,,30.5,2,,\n"
	assert.Check(t, strings.HasSuffix(csv.String(), line), "medians and runs without intervals: %q", csv.String())
	all := strings.Join(few.Warnings(), "\n")
	assert.Check(t, strings.Contains(all, "2 runs in a/x"), "no warning of pairs with few runs: %q", all)
	few.Factor = "scheduler"
	assert.Check(t, len(few.Warnings()) == 0, "main effects hold no pairs against each other, and yet: %q", few.Warnings())
}

func TestCheckFactor(t *testing.T) {
	s := crossed(1, map[string]float64{}, "minrtt/lia", "ecf/lia")
	for name, want := range map[string]string{"": "", "cc": "", "scheduler": "", "hour": `no factor "hour"; factors are: cc, scheduler`} {
		err := s.CheckFactor(name)
		assert.Check(t, (err != nil || want == "") && (err == nil || err.Error() == want), "%q: %v, want %q", name, err, want)
	}
	s.Scenarios[1].Runs[0].Factors = nil
	err := s.CheckFactor("cc")
	assert.Check(t, err != nil && strings.Contains(err.Error(), "scenario ecf/lia has no factor cc"), "%v", err)
	s.Scenarios[0].Runs[0].Factors = nil
	err = s.CheckFactor("cc")
	assert.Check(t, err != nil && strings.Contains(err.Error(), "no scenario has factors"), "%v", err)
}
