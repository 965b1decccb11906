package dss

import (
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/seq"
)

// The DATA_FIN occupies the position behind the data (RFC 8684, Section 3.3.3): a
// DATA_ACK of it acknowledges no byte that the capture lacks.
func TestDataAckNearDataFIN(t *testing.T) {
	for _, tt := range []struct {
		name  string
		fin   bool
		ack   seq.DSN
		skips int64
		next  seq.DSN
	}{
		{"the last byte but one", true, 100, 0, 101},
		{"all data", true, 101, 0, 101},
		{"the DATA_FIN", true, 102, 0, 101},
		{"more than there is", true, 105, 0, 101},
		{"one byte more, no DATA_FIN seen", false, 102, 1, 102},
	} {
		t.Run(tt.name, func(t *testing.T) {
			sp, sub := oneSubflow()
			sp.give(sub, 1, 1, 100, 1)
			if tt.fin {
				sp.DataFIN(101)
			}
			sp.DataAck(tt.ack, 2)
			if sp.AcksOverHoles != tt.skips || sp.SndNxt() != tt.next || sp.RcvNxt() != tt.next {
				t.Errorf("%d ACKs over holes, data to %d, in order to %d; want %d and %d", sp.AcksOverHoles, sp.SndNxt(), sp.RcvNxt(), tt.skips, tt.next)
			}
			got := sp.FINAcked()
			assert.Check(t, got == (tt.fin && tt.ack > 101), "DATA_FIN acknowledged: %v", got)
		})
	}
}

// A DATA_ACK of the DATA_FIN covers data that is missing in the capture, and only that
// data.
func TestDataAckOfDataFINPassesHole(t *testing.T) {
	sp, sub := oneSubflow()
	sp.give(sub, 1, 1, 100, 1)
	sp.DataFIN(151)
	sp.DataAck(152, 2)
	assert.Check(t, sp.SndNxt() == 151 && sp.RcvNxt() == 151, "data to %d, in order to %d; want 151", sp.SndNxt(), sp.RcvNxt())
}
