package campaign

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// made returns a run whose report says how it was made.
func made(scenario, name string, by *report.MadeBy) Member {
	return Member{Input{Scenario: scenario, Name: name}, &Run{MadeBy: by}}
}

func by(version, interval string, labels ...string) *report.MadeBy {
	return &report.MadeBy{Version: version, Options: report.Options{Interval: interval, Labels: labels}}
}

func TestUnlike(t *testing.T) {
	place := by("v1", "100ms")
	place.Options.Vantage, place.Options.Direction, place.Options.Connection = "a", "a2b", new(3)
	set := func(runs ...Member) *Set {
		return &Set{Scenarios: []*Scenario{{Name: "X", Runs: runs}}}
	}
	for name, c := range map[string]struct {
		set   *Set
		given []string
		want  []string
	}{
		"alike, but for the place and what was asked for": {set(made("X", "1", by("v1", "100ms")), made("X", "2", place)), nil, nil},
		"one name of other addresses":                     {set(made("X", "1", by("v1", "1s", "10.0.0.1/32=lte")), made("X", "2", by("v1", "1s", "10.0.0.2/32=lte"))), nil, nil},
		"other names":                                     {set(made("X", "1", by("v1", "1s", "10.0.0.1/32=lte")), made("X", "2", by("v1", "1s", "10.0.0.1/32=LTE"))), nil, []string{"runs differ in labels: LTE (X 2) and lte (X 1)"}},
		"versions and options":                            {set(made("X", "1", by("v1", "1s")), made("X", "2", by("v2", "2s")), made("X", "3", by("v2", "2s"))), nil, []string{"runs differ in version: v1 (X 1) and v2 (X 2, X 3)", "runs differ in interval: 1s (X 1) and 2s (X 2, X 3)"}},
		"given and the same":                              {set(made("X", "1", by("v1", "100ms"))), []string{"interval"}, nil},
		"given and another":                               {set(made("X", "1", by("v1", "2s"))), []string{"interval"}, []string{"runs differ in interval: 100ms (the command) and 2s (X 1)"}},
		"another and not given":                           {set(made("X", "1", by("v1", "2s"))), []string{"skip"}, []string{"runs differ in skip: none (X 1) and 1s (the command)"}},
		"old reports alone":                               {set(made("X", "1", nil), made("X", "2", nil)), nil, nil},
		"an old report and an option":                     {set(made("X", "1", nil)), []string{"interval"}, []string{"runs differ in interval: 100ms (the command) and not said (X 1)"}},
	} {
		command := by("v9", "100ms")
		command.Options.Skip = "1s"
		assert.Check(t, is.DeepEqual(c.set.Unlike(command, c.given), c.want), "%s", name)
	}
	single := set(made("X", "1", by("v1", "100ms")))
	single.Single = []*Scenario{{Name: "wifi", Runs: []Member{made("wifi", "w1", by("v1", "2s"))}}}
	assert.Check(t, is.DeepEqual(single.Unlike(by("v1", "100ms"), nil), []string{"runs differ in interval: 100ms (X 1) and 2s (wifi w1)"}), "a run of one path alone")
	old := set(made("X", "1", nil))
	old.Baseline = []*Scenario{{Name: "Y", Runs: []Member{made("Y", "1", by("v1", "1s"))}}}
	lines := old.Unlike(by("v1", "1s"), nil)
	assert.Check(t, len(lines) == len(makings()), "an old report beside a new one: %q", lines)
}

// TestCheckGiven: a name that no run has is refused, and the message lists the names that exist.
// A name that one run of many has, or only the baseline, is accepted.
func TestCheckGiven(t *testing.T) {
	run := func(address, path, label string) Member {
		return Member{Input{Labels: map[string]string{label: "x"}}, &Run{Addresses: []string{address, "2001:db8::1"}, AllPaths: []string{path}}}
	}
	s := &Set{
		Scenarios: []*Scenario{{Runs: []Member{run("10.0.1.1", "wifi", "hour"), run("10.0.2.1", "LTE", "hour")}}},
		Baseline:  []*Scenario{{Runs: []Member{run("10.0.3.1", "dsl", "day")}}},
	}
	for _, err := range []error{
		s.CheckPath("wifi"), s.CheckPath("dsl"), s.CheckLabel("day"), s.CheckAddress(netip.MustParsePrefix("10.0.2.0/24")), s.CheckAddress(netip.MustParsePrefix("2001:db8::/32")),
	} {
		assert.Check(t, err)
	}
	for want, err := range map[string]error{
		`no run has a path "lte"; paths are: LTE, dsl, wifi`:                                                s.CheckPath("lte"),
		`no run has a label "week"; labels are: day, hour`:                                                  s.CheckLabel("week"),
		"no path of any run begins or ends there; addresses are: 10.0.1.1, 10.0.2.1, 10.0.3.1, 2001:db8::1": s.CheckAddress(netip.MustParsePrefix("10.1.0.0/16")),
		`no run has a label "week", or any`:                                                                 (&Set{}).CheckLabel("week"),
	} {
		assert.Check(t, err != nil && err.Error() == want, "%v, want %q", err, want)
	}
}

// TestSameCaptures: a capture that belongs to two runs is found, both as a capture and through
// reports.
func TestSameCaptures(t *testing.T) {
	run := func(name, content string, captures ...string) Member {
		return Member{Input{Name: name}, &Run{Content: content, Captures: captures}}
	}
	all := []*Scenario{
		{Name: "X", Runs: []Member{run("capture", "c1", "h1"), run("report", "r1", "h1"), run("pair", "c2", "h2", "h3")}},
		{Name: "Y", Runs: []Member{run("half of it", "c3", "h3"), run("another", "c4", "h4"), run("old report", "r2"), run("piped", ""), run("piped", "")}},
		{Name: "Z", Runs: []Member{run("another", "c4", "h4")}},
	}
	got := strings.Join(sameCaptures(all), "\n")
	want := "X capture and X report are the same capture: they are no two runs\n" +
		"X pair and Y half of it are the same capture: they are no two runs\n" +
		"Y another and Z another are the same capture: they are no two runs"
	assert.Check(t, is.DeepEqual(got, want))
}

// TestSameCapturesWithoutHash: large captures have no hash in reports. A copy with the same
// packets, bytes and times is found all the same, one with another time is not.
func TestSameCapturesWithoutHash(t *testing.T) {
	run := func(name string, last report.Time, hash *string) Member {
		r := &Run{}
		r.noteMaking(&report.Document{Captures: report.List[report.Capture]{{SHA256: hash, Packets: 9, Bytes: 900, First: new(report.Time(1)), Last: &last}}})
		return Member{Input{Name: name}, r}
	}
	got := sameCaptures([]*Scenario{
		{Name: "X", Runs: []Member{run("1", 2e9, nil), run("2", 3e9, nil), run("3", 4e9, new("hash"))}},
		{Name: "Y", Runs: []Member{run("copy", 3e9, nil), run("compressed", 4e9, new("other"))}},
	})
	want := []string{
		"X 2 and Y copy are the same capture: they are no two runs",
		"X 3 and Y compressed are the same capture: they are no two runs",
	}
	assert.Check(t, is.DeepEqual(got, want))
}

// TestSameCapturesAreCounted: 9,965 of 10,000 runs are copies of 35; the first are named, the
// others counted.
func TestSameCapturesAreCounted(t *testing.T) {
	sc := &Scenario{Name: "x"}
	for i := range 10000 {
		sc.Runs = append(sc.Runs, Member{Input{Name: fmt.Sprint(i)}, &Run{Content: fmt.Sprint(i % 35)}})
	}
	lines := sameCaptures([]*Scenario{sc})
	assert.Check(t, len(lines) == maxSame+1 && lines[0] == "x 0 and x 35 are the same capture: they are no two runs" && strings.HasPrefix(lines[maxSame], "9955 runs more are"),
		"%d lines: %q", len(lines), lines)
}
