package diagnose

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"mpanalyze/internal/report"
)

// Document completes the verdicts with what the connections of one report show about each
// other, and with what a second capture proved.
func (o Judge) Document(d *report.Document) {
	var related []int
	for i := range d.TCP {
		if o.Related(&d.TCP[i]) {
			related = append(related, i)
		}
	}
	r, _ := relate(d, related) // what is in memory can be looked at
	d.Amend(func(c *report.Connection) {
		judgeLossesAgain(c)
		judgeBlockedAgain(c)
		r.connection(c)
	}, r.tcp)
	warned(d, d.Warnings)
}

// Stored does the same as [Judge.Document] for the stored report on one capture. It reads only
// the few connections that [Related] marks. It fails if they cannot be read.
func (Judge) Stored(s *report.Stored) error {
	warned(s, s.Head().Warnings)
	related := s.Marked()
	if len(related) == 0 {
		return nil
	}
	r, err := relate(s, related)
	s.Amend(r.connection, r.tcp)
	return err
}

// Related reports whether the verdicts on a plain TCP connection depend on other
// connections, or the verdicts on others depend on it.
func (Judge) Related(t *report.TCP) bool {
	return has(t.Verdicts, report.VerdictJoinStripped, report.VerdictSYNDropped) || slices.ContainsFunc(t.Verdicts, mayBeJoin) || t.RequestedVersion != nil && has(t.Verdicts, ungranted...)
}

// mayBeJoin reports whether a verdict is on a plain connection that may have been such a join.
func mayBeJoin(v report.Verdict) bool {
	return v.Code == report.VerdictNotRequested && v.Form == gaveUp
}

// likelyJoin makes the verdict on such a connection that of a join, which is not certain.
func likelyJoin(v *report.Verdict) {
	v.Code, v.Form, v.Severity, v.Certainty, v.Alternatives = report.VerdictJoinStripped, "likely", report.Major, report.Likely, nil
}

// ungranted are the verdicts that a SYN/ACK came without MP_CAPABLE, where the version may be the reason.
var ungranted = []report.VerdictCode{report.VerdictPeerPlain, report.VerdictNotGranted, report.VerdictVersion}

// relations holds what the connections of a report show about each other.
type relations struct {
	granted map[report.Endpoint]granted // by host and port; bounded by maxListeners
	joins   map[report.Endpoint][]*join // joins that came without their option, by host and port and time of their start; bounded by maxJoins
	noted   map[int][]*join             // by the id of the connection whose verdicts name them; bounded by maxNotes for each join
	dropped map[string]*report.TCP      // the first connection of a host whose SYNs with MP_CAPABLE were dropped, without its verdicts; bounded by maxListeners
	likely  map[int]bool                // ids of plain connections that were joins likely; bounded by maxJoins
}

// granted is the version of MPTCP that a host and port granted, and the connection in which
// it did.
type granted struct{ version, connection int }

// join is a plain connection that was a join whose MP_JOIN was removed.
type join struct {
	id      int
	from    string
	start   report.Time
	verdict report.Verdict
	likely  bool // it may be another client
	told    int  // connections
}

const (
	// maxJoins bounds the joins without their option that are remembered for other
	// connections.
	maxJoins = 1 << 12
	// maxListeners bounds the hosts and ports whose granted version is remembered.
	maxListeners = 1 << 16
	// maxNotes bounds the connections whose verdicts name one stripped join: only the
	// removed option said for which connection the join was.
	maxNotes = 16
	// blackholeTimeout is for how long Linux leaves MP_CAPABLE out after its SYNs were dropped, ns
	// (net.mptcp.blackhole_timeout, from 6.12 on).
	blackholeTimeout = 3600e9
)

// relate looks at the related plain connections of a report and, if there are any, at all
// connections of Multipath TCP.
func relate(s report.Source, related []int) (*relations, error) {
	r := &relations{granted: map[report.Endpoint]granted{}, joins: map[report.Endpoint][]*join{}, noted: map[int][]*join{}, dropped: map[string]*report.TCP{}, likely: map[int]bool{}}
	if len(related) == 0 {
		return r, nil
	}
	joins := 0
	for _, i := range related {
		t, err := s.TCPAt(i)
		if err != nil {
			return r, err
		}
		if x := r.dropped[t.A.Addr]; has(t.Verdicts, report.VerdictSYNDropped) && (x == nil && len(r.dropped) < maxListeners || x != nil && t.Start < x.Start) {
			r.dropped[strings.Clone(t.A.Addr)] = &report.TCP{ID: t.ID, Start: t.Start}
		}
		for k := range t.Verdicts {
			if likely := mayBeJoin(t.Verdicts[k]); joins < maxJoins && (likely || t.Verdicts[k].Code == report.VerdictJoinStripped) {
				joins++
				j := &join{id: t.ID, from: t.A.Addr, start: t.Start, verdict: ownCopy(&t.Verdicts[k]), likely: likely}
				if likely {
					likelyJoin(&j.verdict)
				}
				r.joins[t.B] = append(r.joins[t.B], j)
			}
		}
	}
	for _, all := range r.joins {
		slices.SortStableFunc(all, func(x, y *join) int { return cmp.Compare(x.start, y.start) })
	}
	for i := range s.NumConnections() {
		c, err := s.ConnectionAt(i)
		if err != nil {
			return r, err
		}
		if len(c.Subflows) == 0 {
			continue
		}
		b := c.Subflows[0].B
		if _, known := r.granted[b]; !known && c.AnsweredVersion != nil && len(r.granted) < maxListeners {
			r.granted[b] = granted{*c.AnsweredVersion, c.ID} // the first connection counts
		}
		r.note(c)
	}
	return r, nil
}

// ownCopy returns a verdict with memory of its own: that of the report that it comes
// from is used again.
func ownCopy(v *report.Verdict) (out report.Verdict) {
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		panic(err) // a verdict has only values of JSON
	}
	return out
}

// note keeps for a connection the joins to its host and port while it was open.
func (r *relations) note(c *report.Connection) {
	all := r.joins[c.Subflows[0].B]
	if len(all) == 0 || c.Verdicts == nil {
		return
	}
	from, _ := slices.BinarySearchFunc(all, c.Start, func(j *join, t report.Time) int { return cmp.Compare(j.start, t) })
	to := from
	for to < len(all) && float64(all[to].start-c.Start)/1e9 <= c.DurationS {
		j := all[to]
		to++
		if j.likely && slices.ContainsFunc(c.Subflows, func(s report.Subflow) bool { return s.A.Addr == j.from }) {
			continue // a host with that address has a subflow: what it opens beside may be plain
		}
		j.told++
		r.noted[c.ID] = append(r.noted[c.ID], j)
		if j.likely {
			r.likely[j.id] = true
		}
	}
	slices.SortFunc(r.noted[c.ID], func(x, y *join) int { return cmp.Compare(x.id, y.id) })
	r.joins[c.Subflows[0].B] = slices.DeleteFunc(all, func(j *join) bool { return j.told == maxNotes })
}

// connection adds the verdicts on the joins that were noted for a connection.
func (r *relations) connection(c *report.Connection) {
	for _, j := range r.noted[c.ID] {
		w := ownCopy(&j.verdict)
		enter(&w, word("from", j.from), counted("connection", "", j.id))
		for i := range w.Evidence {
			if t := w.Evidence[i].TS; t != nil {
				*t += float64(j.start-c.Start) / 1e9
			}
		}
		*c.Verdicts = ranked(append(slices.DeleteFunc(*c.Verdicts, func(v report.Verdict) bool {
			if p := parameter(&v, "address"); p != nil && v.Code == report.VerdictAddAddrNotJoined {
				return p.Text == j.from
			}
			return v.Code == report.VerdictSinglePath // a second path was attempted
		}), w))
	}
}

// tcp judges a connection that asked for one version of MPTCP in vain, at a host
// and port that granted the other version to another connection of the report.
func (r *relations) tcp(t *report.TCP) {
	for i := range t.Verdicts {
		if v := &t.Verdicts[i]; r.likely[t.ID] && mayBeJoin(*v) {
			likelyJoin(v)
		}
	}
	if x := r.dropped[t.A.Addr]; x != nil && t.Start > x.Start && float64(t.Start-x.Start) < blackholeTimeout {
		for i := range t.Verdicts {
			if v := &t.Verdicts[i]; v.Code == report.VerdictNotRequested {
				v.Form, v.Certainty, v.Alternatives, v.Parameters = "blackhole", report.Likely, nil, nil
				enter(v, counted("connection", "", x.ID))
			}
		}
	}
	k := slices.IndexFunc(t.Verdicts, func(v report.Verdict) bool { return slices.Contains(ungranted, v.Code) })
	if k < 0 || t.RequestedVersion == nil {
		return
	}
	if g, ok := r.granted[t.B]; ok && g.version != *t.RequestedVersion {
		v := &t.Verdicts[k]
		v.Code, v.Form, v.Parameters = report.VerdictVersion, "other", nil
		enter(v, counted("asked", "", *t.RequestedVersion), counted("granted", "", g.version), counted("connection", "", g.connection))
	}
}
