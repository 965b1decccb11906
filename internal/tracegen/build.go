package tracegen

import (
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/seq"
)

// maxOptions is the room for options in a TCP header, in bytes.
const maxOptions = 40

// maxUnscaled is the largest window of a SYN, which is never scaled (RFC 7323,
// Section 2.2).
const maxUnscaled = 0xffff

// build fills in the packet.
func (x *Sent) build() {
	f, back := x.sub, &x.sub.half[x.dir.Opposite()]
	src, dst := f.ends(x.dir)
	f.ipid[x.dir]++
	x.packet = Packet{
		Src: src, Dst: dst, Flags: x.flags, IPID: f.ipid[x.dir],
		Seq:    f.path.ISN[x.dir] + seq.Wire(x.ssn),
		Window: x.window(),
	}
	if x.flags&ACK != 0 {
		back.acked = back.cumulative()
		back.unacked = 0
		x.packet.Ack = f.path.ISN[x.dir.Opposite()] + seq.Wire(back.acked)
	}
	if x.mapping != nil {
		m, keep := x.mapping, x.n
		if limit := f.session.cfg.HeaderOnly; limit > 0 {
			keep = min(keep, limit)
		}
		x.packet.Payload = AppendStream(nil, x.dir, m.offset()+int64(x.from), keep)
		x.packet.PayloadLen = x.n
	}
	if x.mapping == nil && x.n > 0 { // data in a SYN
		x.packet.Payload = AppendStream(nil, x.dir, -int64(x.n), x.n)
		x.packet.PayloadLen = x.n
	}
	x.packet.Options = x.appendOptions(make([]byte, 0, maxOptions))
}

// window returns the header's window field.
func (x *Sent) window() uint16 {
	p := &x.sub.path
	if x.flags&SYN != 0 {
		return uint16(min(p.Window, maxUnscaled))
	}
	return uint16(min(p.Window>>p.WScale, maxUnscaled))
}

// timestamp returns the value of the timestamp clock of the packet's sender, in
// milliseconds. The clocks of the two hosts begin at different values.
func (x *Sent) timestamp() uint32 {
	return uint32(x.dir)<<30 + uint32(x.at/time.Millisecond) + 1e6
}

// appendOptions appends the TCP options in the order in which Linux writes them.
func (x *Sent) appendOptions(b []byte) []byte {
	cfg, back := &x.sub.session.cfg, &x.sub.half[x.dir.Opposite()]
	if x.flags&SYN != 0 {
		b = appendMSS(b, x.sub.path.MSS)
		if !cfg.NoSACK {
			b = appendSACKPermitted(b)
		}
	}
	if !cfg.NoTimestamps && !x.noStamp {
		b = AppendTimestamps(b, x.timestamp(), back.tsEcho)
	}
	if x.flags&SYN != 0 {
		b = appendWScale(b, x.sub.path.WScale)
	}
	if x.cookie != nil {
		b = appendFastOpen(b, x.cookie)
	}
	if !cfg.Plain {
		for _, o := range x.options {
			b = o.Append(b)
		}
		b = x.appendSignal(b)
	}
	if x.flags&(SYN|RST) == 0 && !cfg.NoSACK {
		room := (maxOptions - (len(b)+3)&^3 - 4) / 8
		if blocks := back.blocks(x.sub.path.ISN[x.dir.Opposite()], room); len(blocks) > 0 {
			for len(b)%4 != 0 {
				b = append(b, kindNOP)
			}
			b = appendSACK(b, blocks...)
		}
	}
	return b
}

// appendSignal appends the option that announces the mapping and acknowledges data.
func (x *Sent) appendSignal(b []byte) []byte {
	if x.noDSS || x.flags&(SYN|RST) != 0 {
		return b
	}
	m := x.mapping
	if m != nil && m.form != formDSS && m.form != formInfinite {
		if m.form == formCapable {
			b = x.sub.capableData(m).Append(b)
		}
		return b
	}
	s := x.sub.session
	var d mptcp.DSS
	if m == nil || !s.cfg.DataSeqOnly {
		d.Flags |= mptcp.DSSAck
		back := &s.data[x.dir.Opposite()]
		d.DataAck = back.dsn(back.got.FirstGap(0))
		if !s.cfg.DataAck4 {
			d.Flags |= mptcp.DSSAck8
		}
	}
	if m != nil {
		m.describe(&d)
	}
	return d.Append(b)
}

// describe puts the mapping into a DSS option.
func (m *Mapping) describe(d *mptcp.DSS) {
	s := m.sub.session
	d.Flags |= mptcp.DSSMap
	if !s.cfg.DSN4 {
		d.Flags |= mptcp.DSSDSN8
	}
	if m.fin {
		d.Flags |= mptcp.DSSFin
	}
	d.DSN = s.data[m.dir].dsn(m.dsn)
	if m.n > 0 {
		d.SSN = m.wireSSN()
	}
	d.Length = m.length()
	if s.cfg.Checksum && m.form != formInfinite {
		d.Flags |= mptcp.DSSChecksum
		d.Checksum = m.checksum()
	}
}
