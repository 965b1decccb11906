package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// fields returns what a part of the report is filled with.
func (b *Builder) fields() fill.Fields { return fill.Fields{Reasons: &b.reasons, Mem: &b.memory} }

// subDir reports one direction of one subflow.
func (b *Builder) subDir(m *metrics.Connection, s *metrics.Sub, from conn.Side) *report.SubDir {
	out := b.memory.SubDirs.Of(report.SubDir{})
	if b.soFar {
		m.ReportSubflowSoFar(s, from, b.fields(), out)
	} else {
		m.ReportSubflow(s, from, b.fields(), out)
	}
	return out
}

// connDir reports one direction of a connection, of which the report has the subflows.
func (b *Builder) connDir(m *metrics.Connection, from conn.Side, subs []report.Subflow) *report.ConnDir {
	out := b.memory.ConnDirs.Of(report.ConnDir{})
	if b.soFar {
		m.ReportConnectionSoFar(from, subs, b.fields(), out)
	} else {
		m.ReportConnection(from, subs, b.fields(), out)
	}
	return out
}
