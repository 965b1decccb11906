package evidence

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
)

// left returns what the records of a finder leave of the possible causes at b of a verdict.
func left(s *causeFinder, code report.VerdictCode, d report.Direction, codes ...report.CauseCode) (out []report.CauseCode) {
	host := report.SideB
	v := report.Verdict{Code: code, Direction: &d}
	for _, c := range codes {
		v.Alternatives = append(v.Alternatives, report.Cause{Code: c, Host: &host})
	}
	s.shorten(&v)
	for _, a := range v.Alternatives {
		out = append(out, a.Code)
	}
	return out
}

// A buffer that was never near its limit is excluded, and so is an application whose data waited.
// Records of the other host exclude nothing.
func TestShorten(t *testing.T) {
	limit := [2]float64{46080, 46080}
	sender := []report.CauseCode{report.CauseApplication, report.CauseSendBuffer, report.CauseCwndClamp}
	for _, c := range []struct {
		name   string
		s      *causeFinder
		d      report.Direction
		codes  []report.CauseCode
		remain []report.CauseCode
	}{
		{"data waited at the window", finderOf(numbers{"sent": 20, "waiting": 20, "at window": 20}, 0.9, 0, limit, "cubic"), report.B2A, sender, []report.CauseCode{report.CauseSendBuffer, report.CauseCwndClamp}},
		{"no window was used up, little memory", finderOf(numbers{"sent": 20, "waiting": 8}, 0.3, 0, limit, "cubic"), report.B2A, sender, []report.CauseCode{report.CauseApplication}},
		{"the bounds", finderOf(numbers{"sent": 20, "waiting": 14, "at window": 1}, 0.4, 0, limit, "cubic"), report.B2A, sender, nil},
		{"beside the bounds", finderOf(numbers{"sent": 20, "waiting": 13, "at window": 2}, 0.41, 0, limit, "cubic"), report.B2A, sender, sender},
		{"a tenth unread", finderOf(numbers{}, 0, 0.1, limit, ""), report.A2B, []report.CauseCode{report.CauseApplication}, nil},
		{"more unread", finderOf(numbers{}, 0, 0.11, limit, ""), report.A2B, []report.CauseCode{report.CauseApplication}, []report.CauseCode{report.CauseApplication}},
		{"half of it unread", finderOf(numbers{}, 0, 0.5, limit, ""), report.A2B, []report.CauseCode{report.CauseReceiveBuffer}, nil},
		{"less unread", finderOf(numbers{}, 0, 0.49, limit, ""), report.A2B, []report.CauseCode{report.CauseReceiveBuffer}, []report.CauseCode{report.CauseReceiveBuffer}},
		{"few rows", finderOf(numbers{"sent": 3, "waiting": 3}, 0.9, 0, limit, "cubic"), report.B2A, sender, sender},
		{"read at once", finderOf(numbers{}, 0, 0, limit, ""), report.A2B, []report.CauseCode{report.CauseApplication, report.CauseReceiveBuffer}, []report.CauseCode{report.CauseReceiveBuffer}},
		{"read slowly", finderOf(numbers{}, 0, 0.9, limit, ""), report.A2B, []report.CauseCode{report.CauseApplication, report.CauseReceiveBuffer}, []report.CauseCode{report.CauseApplication}},
	} {
		if got := left(c.s, report.VerdictSenderLimited, c.d, c.codes...); !slices.Equal(got, c.remain) {
			t.Errorf("%s: %v, want %v", c.name, got, c.remain)
		}
		c.s.hosts = [2]*host{c.s.hosts[1], nil}
		if got := left(c.s, report.VerdictSenderLimited, c.d, c.codes...); !slices.Equal(got, c.codes) {
			t.Errorf("%s, the other host's records: %v, want %v", c.name, got, c.codes)
		}
	}
}

// Counters that are known to be 0 exclude causes; counters that are not listed do not.
func TestShortenByCounters(t *testing.T) {
	codes := []report.CauseCode{report.CauseNoRoute, report.CauseTokenUnknown, report.CauseNoListener, report.CauseMemory}
	counted := map[string]int64{}
	for _, name := range []string{"MPTcpExtMPJoinSynTxConnectErr", "MPTcpExtMPJoinNoTokenFound", "TcpOutRsts", "TcpExtTCPRcvQDrop"} {
		counted[name] = 0
	}
	for _, c := range []struct {
		values map[string]int64
		remain int
	}{{counted, 0}, {nil, 4}} {
		same := record("nstat", 1, c.values)
		h := &host{Host: &hosts.Host{End: report.SideB, States: states(hosts.State{Before: same, After: same})}}
		s := &causeFinder{Records: &Records{hosts: []*host{h}}, hosts: [2]*host{nil, h}, conn: &report.Connection{}}
		if got := left(s, report.VerdictJoinRefused, report.A2B, codes...); len(got) != c.remain {
			t.Errorf("%d counters: %v remain, want %d", len(c.values), got, c.remain)
		}
	}
}

// A verdict on no subflow or no direction, or on a connection of plain TCP, needs no more than there is: no
// row of the table that concerns a subflow is its cause.
func TestVerdictWithout(t *testing.T) {
	for _, row := range tables().Causes {
		for _, code := range row.Verdicts {
			for _, d := range []*report.Direction{nil, new(report.B2A)} {
				s, of := beside(map[string]int64{"TcpExtTCPOFODrop": 3})
				more(of[queue].After, hosts.Dropped, 4)
				v := report.Verdict{Code: code, Direction: d, Alternatives: report.List[report.Cause]{{Code: row.Code, Host: new(report.SideB)}}}
				f := s.ask(&v).find()
				assert.Check(t, f == nil, "%s: %+v", code, f)
				s.shorten(&v)
				s.conn, s.plain, s.of, v.Subflow = &report.Connection{}, true, nil, new(0)
				f = s.ask(&v).find()
				assert.Check(t, f == nil, "%s of plain TCP: %+v", code, f)
				s.shorten(&v)
			}
		}
	}
}

// The rows of the table name facts, hosts and verdicts that there are.
func TestCauseTable(t *testing.T) {
	named := func(name string) float64 {
		name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(name, "perhaps "), "peer "), "any ")
		kind, _, _ := strings.Cut(name, " ")
		assert.Check(t, facts[name] != nil || factKinds[kind] != nil || len(tables().Computed[name].Of) > 0 || tables().Computed[name].Value != "" || !math.IsNaN(figures{}.value(name)) || name == "host" || name == "peer", "no fact has the name %q", name)
		return 1
	}
	for _, x := range tables().Computed {
		for _, text := range append(slices.Concat(x.Of, x.When), cmp.Or(x.Value, "1")) {
			evaluate(text, named)
		}
	}
	for _, c := range slices.Concat(tables().Causes, tables().Excluded) {
		for _, x := range c.When {
			evaluate(x, named)
		}
		var text strings.Builder
		text.WriteString(c.Because)
		for _, p := range c.Lines {
			named(p.Fact)
			text.WriteString(p.Text)
		}
		for _, part := range strings.Split(text.String(), "{")[1:] {
			name, _, closed := strings.Cut(part, "}")
			name, _, _ = strings.Cut(name, "|")
			assert.Check(t, closed, text.String())
			named(name)
		}
		assert.Check(t, len(c.When) > 0 && (len(c.Verdicts) > 0) == (len(c.Lines) > 0), "%+v", c)
	}
}

// TestFactsOfNothing: of a host without records, and of plain TCP without a connection of Multipath TCP, each
// fact of the table can be asked for.
func TestFactsOfNothing(t *testing.T) {
	h := newHost(&hosts.Host{})
	for _, plain := range []bool{true, false} {
		s := &causeFinder{Records: &Records{joined: map[pair][]*joinedTCP{}}, hosts: [2]*host{h, h}, conn: &report.Connection{}, plain: plain, verdicts: &report.List[report.Verdict]{}}
		for name := range facts {
			f, ok := s.ask(&report.Verdict{Code: report.VerdictNotGranted}).fact(name)
			assert.Check(t, !ok || f.at.at.File == nil, "%s: %+v", name, f)
		}
	}
}
