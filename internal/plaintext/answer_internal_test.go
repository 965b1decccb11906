package plaintext

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"mpanalyze/internal/overview"
	"mpanalyze/internal/report"
)

// TestByPath: the line never says more of paths than what was captured and asked for.
func TestByPath(t *testing.T) {
	one := overview.Overview{OnePath: 1, Naming: "path", BytesB2A: 10, Paths: []overview.Path{{Path: "wifi", Direction: report.B2A, Bytes: 10, Share: 100}}}
	two := one
	two.OnePath, two.SeveralPaths = 0, 1
	two.Paths = []overview.Path{{Path: "wifi", Direction: report.B2A, Share: 75}, {Path: "lte", Direction: report.B2A, Share: 25}}
	with := func(o overview.Overview, change func(*overview.Overview)) *overview.Overview { change(&o); return &o }
	window := (&report.MadeBy{Options: report.Options{Skip: "1s", Until: "3s"}}).Window()
	for _, c := range []struct {
		o            *overview.Overview
		window, want string
	}{
		{&one, "", "All data ran over one path, wifi: nothing was aggregated."},
		{with(one, func(o *overview.Overview) { o.Only = report.B2A }), "", "All data of b2a ran over one path, wifi."},
		{
			with(one, func(o *overview.Overview) { o.Uncaptured = true }), "",
			"All data in the captures ran over one path, wifi. More data passed on a path that is not captured; shares are of what the captures show.",
		},
		{&two, "", "The data ran over 2 paths: wifi 75.0%, lte 25.0% of b2a."},
		{with(two, func(o *overview.Overview) { o.Naming = "address of b" }), "", "The data ran over 2 paths, by the address of b: wifi 75.0%, lte 25.0% of b2a."},
		{
			with(two, func(o *overview.Overview) { o.OnePath, o.SeveralPaths = 2, 0 }), "",
			"Each connection ran over one path, nothing was aggregated; 2 paths carried data: wifi 75.0%, lte 25.0% of b2a.",
		},
		{with(two, func(o *overview.Overview) { o.OnePath = 1 }), "", "1 of 2 connections ran over several paths; 2 paths carried data: wifi 75.0%, lte 25.0% of b2a."},
		{
			with(two, func(o *overview.Overview) { o.Paths = slices.Repeat(o.Paths, 3) }), "",
			"The data ran over 2 paths: wifi 75.0%, wifi 75.0%, wifi 75.0%, lte 25.0% and 2 more of b2a.",
		},
		{&two, window, "By path, from 1s to 3s after each direction's first data: wifi 75.0%, lte 25.0% of b2a."},
		{
			with(two, func(o *overview.Overview) { o.NoneInTime = true }), window,
			"No data passed from 1s to 3s after each direction's first data (--from, --to): which path carried how much is not known.",
		},
	} {
		if got := byPath(c.o, c.window); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestFootnotes: footnotes below the subflows say what the figures do not include.
func TestFootnotes(t *testing.T) {
	dir := &report.ConnDir{Bytes: new(int64(10))}
	lossy := []report.Subflow{{B2A: &report.SubDir{RetransmittedSegments: 1}}}
	b2a := report.B2A
	missing := &report.List[report.Verdict]{{Code: report.VerdictUncaptured, Direction: &b2a}}
	for _, c := range []struct {
		c    report.Connection
		want string
	}{
		{report.Connection{Vantage: report.VantageA, B2A: dir, Subflows: lossy}, "  b2a was captured at its receiver: retrans counts only segments that arrived twice, drops is a lower bound\n"},
		{report.Connection{Vantage: report.VantageB, B2A: dir, Subflows: lossy}, ""},
		{report.Connection{Vantage: report.VantageA, B2A: dir, Subflows: []report.Subflow{{B2A: &report.SubDir{}}}}, ""},
		{report.Connection{Vantage: report.VantageB, B2A: dir, Verdicts: missing}, "  shares of b2a are of what the captures show: a path is missing\n"},
	} {
		var out strings.Builder
		p := &printer{bufio.NewWriter(&out), Options{Width: 200}}
		p.footnotes(&c.c)
		if err := p.w.Flush(); err != nil || out.String() != c.want {
			t.Errorf("%q, want %q, %v", out.String(), c.want, err)
		}
	}
}

// TestCausesOfGroup: one cause needs no number; of several each has the number of its verdicts.
func TestCausesOfGroup(t *testing.T) {
	queue, lost := overview.CauseCount{Cause: report.Cause{Code: report.CauseQueue}, Verdicts: 3}, overview.CauseCount{Cause: report.Cause{Code: report.CauseUnknown}, Verdicts: 1}
	for want, all := range map[string][]overview.CauseCount{"": nil, "; cause: queue": {queue}, "; cause: queue 3, unknown 1": {queue, lost}} {
		if got := causes(all); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestRemedy: a command, or all that is to do, stands once; a later verdict names the one that has it.
func TestRemedy(t *testing.T) {
	said := map[string]string{}
	for _, c := range []struct{ code, remedy, want string }{
		{"loss_limited", "Shape below it. Linux 5.15 and later: use bbr.", "Shape below it. Linux 5.15 and later: use bbr."},
		{"heavy_loss", "Shape below it.", "as for loss_limited above."},
		{"path_died", "Look at the link. Linux 5.15 and later: use bbr.", "Look at the link. The rest is as for loss_limited above."},
		{"hol_blocked", "Shape below it. Make it quicker. Look at the link.", "Shape below it. Make it quicker. Look at the link."},
		{"unequal_paths", "Make it quicker. Look at the link.", "as for hol_blocked and path_died above."},
	} {
		v := report.Verdict{Code: report.VerdictCode(c.code), Remedy: c.remedy}
		if got := remedy(&v, said); got != c.want {
			t.Errorf("%s: %q, want %q", c.code, got, c.want)
		}
	}
}
