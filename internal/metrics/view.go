package metrics

import (
	"cmp"
	"slices"

	"mpanalyze/internal/catalogue"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// view is what units need to report on one direction of a connection, or of one of its
// subflows.
type view struct {
	fill.Fields
	m     *Connection
	sub   *Sub // nil for the connection
	from  conn.Side
	role  Role
	cut   string           // why figures that need all mappings are absent; empty where they are not
	named []report.Subflow // for the connection: its subflows, as the report names them
}

// ReportSubflow fills in the report on the data that side from sends on a subflow.
// Valid once the connection has ended.
func (m *Connection) ReportSubflow(s *Sub, from conn.Side, f fill.Fields, out *report.SubDir) {
	v := &view{Fields: f, m: m, sub: s, from: from, role: m.Role(from), cut: m.MapsCut(from)}
	for _, u := range units {
		if why := m.unasked(u); why != "" {
			v.omit(u, catalogue.OfSubflowDir, why)
		} else {
			u.report.reportSubflow(v, out)
			v.withoutOther(u, catalogue.OfSubflowDir, out, s.Lacks(from.Other()))
		}
	}
	out.Unavailable = v.Take()
}

// ReportConnection fills in the report on the data that side from sends on all
// subflows. named are these subflows in the report, filled in already.
func (m *Connection) ReportConnection(from conn.Side, named []report.Subflow, f fill.Fields, out *report.ConnDir) {
	v := &view{Fields: f, m: m, from: from, role: m.Role(from), cut: m.MapsCut(from), named: named}
	for _, u := range units {
		if why := m.unasked(u); why != "" {
			v.omit(u, catalogue.OfConnectionDir, why)
		} else {
			u.report.reportConnection(v, out)
			v.withoutOther(u, catalogue.OfConnectionDir, out, cmp.Or(m.Lacks(from.Other()), m.Lacks(from)))
		}
	}
	out.Unavailable = v.Take()
}

// unasked returns why a unit is not asked for; empty where it is.
func (m *Connection) unasked(u *unit) string {
	if m.k == nil || m.k.omits == nil {
		return ""
	}
	return m.k.omits[u.slot]
}

// omit sets, for the metrics of a unit, the reason why they are not asked for.
func (v *view) omit(u *unit, at catalogue.Level, why string) {
	for i := range u.rows() {
		if r := &u.rows()[i]; slices.Contains(r.Levels, at) {
			v.Set(r.JSON, why)
		}
	}
}

// dir returns the meters of the direction.
func (v *view) dir() *DataDir { return v.m.Dir(v.from) }

// Reasons that several units give.
const (
	noData         = fill.NoData
	noDataThen     = "no data passed in the time that --from and --to leave"
	oneMoment      = fill.OneMoment
	atSenderOnly   = "only a capture at the sender shows it"
	atReceiverOnly = "only a capture at the receiver shows it"
	atNeitherEnd   = "the capture was taken at neither end, or its place is unknown"
	noWindow       = "no DATA_ACK passed on a subflow whose window scale was captured"
	noScale        = "DATA_ACKs passed on a subflow whose window scale was not captured: which windows they offered is not known"
)

// TwoCaptures is the reason for metrics that one host's capture cannot show.
const TwoCaptures = "it takes captures at both hosts: --sender FILE --receiver FILE"

// nothing returns the reason for a figure that is absent because no data passed in the
// time that is looked at.
func (v *view) nothing() string {
	if v.m.Part() && v.m.Conn.Spaces[v.from].AppBytes() > 0 {
		return noDataThen
	}
	return noData
}

// atSender returns what holds for a capture at the sender, or what holds elsewhere.
func atSender[T any](v *view, there, elsewhere T) T {
	if v.role == Sender {
		return there
	}
	return elsewhere
}

// windowReason returns why the receive window is not known; empty where it is.
func (v *view) windowReason() string {
	switch why := v.m.AcksCut(v.from); {
	case why != "":
		return why
	case !v.dir().WindowsKnown():
		return noScale
	case v.dir().Window().Known:
		return ""
	}
	return noWindow
}
