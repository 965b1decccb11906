package packet

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/mptcp"
)

// TestSetPart: the segments of a packet of 250 bytes whose capture ends after 150 of them.
func TestSetPart(t *testing.T) {
	const flags, have = mptcp.DSSMap | mptcp.DSSAck, HasDSS | HasPayload
	payload := make([]byte, 150)
	for i := range payload {
		payload[i] = byte(i)
	}
	whole := Segment{
		Num: 7, Time: 9, Seq: 1 << 31, Ack: 5, Flags: ACK | PSH | FIN | CWR | URG, Have: have | OddMPTCP | ClockChanged, OptLen: 40, OtherLen: 3, Urgent: 2,
		PayloadLen: 250, Captured: 150, Payload: payload, DSS: mptcp.DSS{Flags: flags, DSN: 70, Length: 250, DataAck: 3},
	}
	first, second, third := whole, whole, whole
	first.PayloadLen, first.Captured, first.Payload, first.Flags = 100, 100, payload[:100], ACK|CWR|URG
	second.Seq, second.PayloadLen, second.Captured, second.Payload, second.Flags = whole.Seq+100, 100, 50, payload[100:], ACK
	second.Have, second.OtherLen, second.DSS.Flags = have, 0, mptcp.DSSAck
	third.Seq, third.PayloadLen, third.Captured, third.Payload, third.Flags = whole.Seq+200, 50, 0, payload[150:], ACK|PSH|FIN
	third.Have, third.OtherLen, third.DSS.Flags = have, 0, mptcp.DSSAck
	for i, want := range []Segment{first, second, third} {
		var s Segment
		s.SetPart(&whole, uint32(100*i), want.PayloadLen)
		assert.Check(t, is.DeepEqual(s, want), "segment %d", i)
	}
}
