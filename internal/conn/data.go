package conn

import (
	"fmt"

	"mpanalyze/internal/dss"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/subflow"
)

// acknowledge takes the acknowledgments of a packet that acknowledges something new.
// advances says that its DATA_ACK is above all before it.
func (p *Packet) acknowledge(d *SubflowDir, advances bool) {
	p.NewAck = true
	acked, subSpace, now := d.ackedData, d.ackedSub, p.Seg.Time
	if p.TCP.Ack.Advanced && subSpace.HasUnmapped() {
		p.unmappedAcked(acked, subSpace)
	}
	dataAck, _ := acked.SndUna()
	if advances {
		dataAck = p.DataAck
	}
	for _, r := range p.TCP.Ack.NewlyAcked {
		acked.Acked(subSpace, r, dataAck, now)
	}
	if p.TCP.Ack.Advanced {
		acked.SubflowUna(subSpace, d.tcp.Peer().SndUna())
	}
	switch {
	case advances:
		p.DataAckAdvanced = acked.TakeDataAck(&p.Seg.DSS, p.DataAck, now, &p.Result)
	case p.TCP.Ack.Advanced && !p.HasDataAck && d.Conn.Fallback != "":
		p.ackAfterFallback(acked)
	}
}

// placeExpected takes the mapping and the payload of a packet on the fast path. The
// packet must have payload. Nearly all packets repeat the latest mapping or begin the
// next one, and continue the data.
func (p *Packet) placeExpected(d *SubflowDir) {
	s, sent := p.Seg, &p.TCP.Sent
	if s.DSS.Has(mptcp.DSSMap) && !p.repeatsMapping(d) && !p.mapsNext(d) {
		p.takeMapping(d.sentData, d.sentSub)
	}
	switch n := int64(s.PayloadLen); {
	case !d.sentData.AddExpected(d.sentSub, sent.Range.Start, n, sent.Segments, s.Num, s.Time, &p.Result):
		p.placePayload(d)
	case s.Have&packet.HasPayload != 0:
		p.Pieces[0].Payload = dss.CapturedPart(s.Payload, 0, n)
	}
}

// placeData takes the mapping and the payload of any packet.
func (p *Packet) placeData(d *SubflowDir) {
	if p.Seg.DSS.Has(mptcp.DSSMap) && !p.repeatsMapping(d) {
		p.takeMapping(d.sentData, d.sentSub)
	}
	p.placePayload(d)
}

// placePayload takes the payload of any packet, and reports the checksums that failed.
func (p *Packet) placePayload(d *SubflowDir) {
	if !p.TCP.Sent.Range.Empty() {
		p.addPayload(d.sentData, d.sentSub)
	}
	if len(p.Checks) > 0 {
		p.reportChecks()
	}
	if len(p.Pieces) > 0 {
		d.sentData.InOrder(p.Seg.Time, &p.Result)
	}
}

// reportChecks reports checksums that failed.
func (p *Packet) reportChecks() {
	for i := range p.Checks {
		if k := &p.Checks[i]; k.Result == dss.CheckInvalid {
			p.emit(EventChecksum, fmt.Sprintf("DSS checksum of the mapping at subflow sequence number %d (packet %d) fails", k.SSN, k.Packet))
		}
	}
}

// addPayload enters any payload of p.
func (p *Packet) addPayload(space *dss.Space, subSpace *dss.SubflowSpace) {
	s, sent := p.Seg, &p.TCP.Sent
	covered := true
	run := dss.Payload{SegmentBytes: p.tcp.Sender().SegmentBytes(), Packet: s.Num, Time: s.Time}
	for i := range max(1, len(sent.Parts)) {
		if run.Range, run.New = sent.Range, true; len(sent.Parts) > 0 {
			run.Range, run.New = sent.Parts[i].Range, sent.Parts[i].Kind == subflow.New
		}
		if s.Have&packet.HasPayload != 0 {
			run.Bytes = dss.CapturedPart(s.Payload, int64(run.Start-sent.Range.Start), run.Len())
		}
		covered = space.AddPayload(subSpace, &run, &p.Result) && covered
	}
	if !covered {
		p.takeUnmapped(space, subSpace)
	}
}
