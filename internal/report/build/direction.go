package build

import (
	"mpanalyze/internal/conn"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/fill"
)

// fields returns the memory and the reasons for a part of the report.
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

// connDir reports one direction of a connection. subs are its subflows in the report.
func (b *Builder) connDir(m *metrics.Connection, from conn.Side, subs []report.Subflow) *report.ConnDir {
	out := b.memory.ConnDirs.Of(report.ConnDir{})
	if b.soFar {
		m.ReportConnectionSoFar(from, subs, b.fields(), out)
	} else {
		m.ReportConnection(from, subs, b.fields(), out)
	}
	return out
}
