package subflow

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/seq"
)

// TestNoSampleAcrossGap: packets are missing up to time 5000, as another subflow showed. Data sent before
// gives no sample, by a cumulative ACK, by SACK or by both; data sent after it does.
func TestNoSampleAcrossGap(t *testing.T) {
	for name, ack := range map[string]packet.Segment{
		"cumulative": {Ack: 1100, Flags: packet.ACK},
		"SACK":       {Ack: 1000, Flags: packet.ACK, NSACK: 1, SACK: [4]packet.SACKBlock{{Left: 1200, Right: 1300}}},
		"both":       {Ack: 1100, Flags: packet.ACK, NSACK: 1, SACK: [4]packet.SACKBlock{{Left: 1200, Right: 1300}}},
	} {
		for _, missed := range []int64{0, 5000} {
			var snd Sender
			var out Sent
			for i := range 4 {
				s := packet.Segment{Num: uint64(i + 1), Time: 1000 + int64(i), Seq: 1000 + seq.Wire(100*i), Flags: packet.ACK, PayloadLen: 100, Window: 9}
				snd.send(&s, &out)
			}
			snd.MissedUntil(missed)
			var a Ack
			ack.Num, ack.Time = 9, 6000
			snd.processAck(&ack, &a)
			got := a.Source != NoSample
			assert.Check(t, got == (missed == 0), "%s, missed until %d: sample %v of %d ns", name, missed, got, a.RTT)
			assert.Check(t, missed <= 0 || a.NewestRTT == 0, "%s: newest %d ns", name, a.NewestRTT)
		}
	}
}
