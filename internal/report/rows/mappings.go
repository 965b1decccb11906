package rows

import (
	"cmp"
	"slices"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/report"
)

// mappingRun is the latest mapping of one direction of a subflow, with the number of
// successive packets that carried it: the packets of one large write all carry the mapping
// of the whole write.
type mappingRun struct {
	row     report.MappingRow // Packets = 0 means no run
	pending bool              // the checksum is not settled
}

// maxPendingRows bounds the rows of a connection whose runs ended before their
// checksums were settled.
const maxPendingRows = 4096

// mapping takes the mapping of a packet.
func (o *connRows) mapping(p *conn.Packet) {
	if run := o.cells.of(p.Sub, p.From).run; run != nil && run.continues(p.Mapping) {
		run.row.Packets++
		return
	}
	o.beginRun(p)
}

// continues reports whether m is the mapping of the run. A mapping whose checksum is
// not settled always begins a run, because the result of the checksum names the first
// packet of the run.
func (run *mappingRun) continues(m *conn.Mapping) bool {
	r := &run.row
	return r.DSN == int64(m.DSN) && r.SSN == int64(m.SSN) && r.Length == m.Length() && r.WireDSN == m.DSS.DSN &&
		r.Checksum == m.Checksum() && r.DSNBytes == m.WireBytes() && r.DataFin == m.DataFIN() && r.Infinite == m.Infinite &&
		!m.ChecksumPending && r.Packets > 0
}

// beginRun ends the run of the subflow and direction of p, and begins one with its mapping.
func (o *connRows) beginRun(p *conn.Packet) {
	cell := o.cell(p.Sub, p.From)
	if cell == nil {
		return
	}
	at := o.cells.of(p.Sub, p.From)
	if at.run == nil {
		at.run = new(mappingRun)
	}
	o.endRun(at.run)
	m := p.Mapping
	at.run.pending = m.ChecksumPending
	at.run.row = report.MappingRow{
		Cell: cell, Packet: int64(p.Seg.Num), Packets: 1, T: p.Seg.Time - o.c.Start,
		DSN: int64(m.DSN), WireDSN: m.DSS.DSN, DSNBytes: m.WireBytes(), SSN: int64(m.SSN), Length: m.Length(),
		DataFin: m.DataFIN(), Infinite: m.Infinite, Repeated: m.Verdict == dss.RepeatedMapping, Checksum: m.Checksum(),
	}
}

// endRun writes the row of a run, or keeps it until its checksum is settled.
func (o *connRows) endRun(run *mappingRun) {
	switch {
	case run.row.Packets == 0:
	case run.pending && len(o.pending) < maxPendingRows:
		if o.pending == nil {
			o.pending = map[uint64]report.MappingRow{}
		}
		o.pending[uint64(run.row.Packet)] = run.row
	default:
		o.writeMapping(&run.row)
	}
}

// Results of checksums, which rows point to. They must not change.
var valid, invalid = new(true), new(false)

// checked enters the result of a checksum, which packet p settled.
func (o *connRows) checked(p *conn.Packet, k *dss.Check) {
	var ok *bool
	switch k.Result {
	case dss.CheckValid:
		ok = valid
	case dss.CheckInvalid:
		ok = invalid
	}
	if run := o.cells.of(p.Sub, p.From).run; run != nil && run.pending && run.row.Packet == int64(k.Packet) {
		run.row.ChecksumOK, run.pending = ok, false
		return
	}
	if row, waits := o.pending[k.Packet]; waits {
		delete(o.pending, k.Packet)
		row.ChecksumOK = ok
		o.writeMapping(&row)
	}
}

// endRuns writes the mappings that are left, in the order of their packets.
func (o *connRows) endRuns() {
	var rest []*report.MappingRow
	for _, row := range o.pending {
		rest = append(rest, &row)
	}
	for i := range o.cells.subs {
		for j := range o.cells.subs[i] {
			if run := o.cells.subs[i][j].run; run != nil {
				rest = append(rest, &run.row)
			}
		}
	}
	slices.SortFunc(rest, func(a, b *report.MappingRow) int { return cmp.Compare(a.Packet, b.Packet) })
	for _, row := range rest {
		o.writeMapping(row)
	}
}

func (o *connRows) writeMapping(row *report.MappingRow) {
	if o.r.err == nil {
		*o.r.nextMapping() = *row
	}
}
