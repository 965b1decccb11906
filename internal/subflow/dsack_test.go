package subflow

import (
	"testing"

	"mpanalyze/internal/seq"
)

// A hundred segments of 100 bytes are in flight from position 1 on, and the numbers pass 2^32; those at 201 to 1001
// have been SACKed with timestamp 50 when the rows' ACKs come. An ACK with timestamps has 36 bytes of options with
// a SACK block and a DATA_ACK of 8 bytes, and so no room for a second block; with a DATA_ACK of 4 bytes it has 32,
// and 40 with two blocks.
func TestDSACK(t *testing.T) {
	for _, tt := range [][2]string{
		{"below the cumulative ACK", "200 ack 201 ts 51,0 optlen 40 sack 1-101; dsacks 1"},
		{"inside the second block", "200 ack 101 ts 51,0 optlen 40 sack 301-401,201-1001; dsacks 1"},
		{"alone, no room for a second", "200 ack 101 ts 51,0 optlen 36 sack 301-401; dsacks 1"},
		{"alone in the same millisecond", "200 ack 101 ts 50,0 optlen 36 sack 301-401; dsacks 1"},
		{"alone, though there was room", "200 ack 101 ts 51,0 optlen 32 sack 201-901; dsacks 0"},
		{"the last block once more", "200 ack 101 ts 51,0 optlen 36 sack 201-1001; dsacks 0"},
		{"the last block after a duplicate", "200 ack 101 ts 51,0 optlen 36 sack 1-101; dsacks 1; 200 ack 101 ts 52,0 optlen 36 sack 201-1001; dsacks 1"},
		{"the last block after one with company", "200 ack 101 ts 51,0 optlen 40 sack 1201-1301,201-1001; dsacks 0; 200 ack 101 ts 52,0 optlen 36 sack 1201-1301; dsacks 0"},
		{"the last block, grown", "200 ack 101 ts 51,0 optlen 36 sack 201-1101; dsacks 0"},
		{"overtaken, by its timestamp", "200 ack 101 ts 49,0 optlen 36 sack 201-901; dsacks 0"},
		{"overtaken in the same millisecond, by its left edge", "200 ack 101 ts 50,0 optlen 36 sack 201-901; dsacks 0"},
		{
			"overtaken in the same millisecond, after a block elsewhere",
			"200 ack 101 ts 50,0 optlen 36 sack 1201-1301; dsacks 0; 200 ack 101 ts 50,0 optlen 36 sack 201-801; dsacks 0",
		},
		{"the first segment of a range, a millisecond later", "200 ack 101 ts 51,0 optlen 36 sack 201-301; dsacks 1"},
		{
			"overtaken, by its acknowledgment",
			"200 ack 1001 ts 52,0 optlen 36 sack 1201-1301; dsacks 0; 200 ack 101 ts 52,0 optlen 36 sack 1201-1301; dsacks 0; 200 ack 201 ts 52,0 optlen 36 sack 1201-1251; dsacks 0",
		},

		// Data that was sent again may arrive twice. For an ACK in the same millisecond, the IP identification shows
		// whether another one overtook it.
		{"the copy, reported later", copied + "200 ack 101 ts 50,0 ipid 8 optlen 36 sack 201-301; dsacks 1; vain 1"},
		{"the copy, by an ACK that was overtaken", copied + "200 ack 101 ts 50,0 ipid 6 optlen 36 sack 201-301; dsacks 0; vain 0"},
		{"the copy, by a host that does not number its packets", "200 data 201+100; 200 ack 101 ts 50,0 optlen 36 sack 201-301; dsacks 1; vain 1"},
		{"more than the copy", copied + "200 ack 101 ts 50,0 ipid 8 optlen 36 sack 201-401; dsacks 0; vain 0"},
	} {
		t.Run(tt[0], func(t *testing.T) {
			p := newPlay(t)
			p.isn[A] = 0xfffffff0
			p.run("-40 A syn 0 0 0 mss 100; 0 B synAck 0 1 0 mss 100")
			for i := range 100 {
				p.data(float64(i), seq.SSN(1+100*i), 100)
			}
			p.run("150 ack 101 ts 50,0 optlen 36 sack 201-1001; dsacks 0; " + tt[1])
		})
	}
}

// copied is an ACK of the IP identification 7, and a copy of what it reports.
const copied = "200 ack 101 ts 50,0 ipid 7 optlen 36 sack 201-1101; 200 data 201+100; "

// TestNeedlessWithoutSACK: the first of 10 segments is lost. A sends it and the next one again; b acknowledges all with the
// first copy, and answers the other one with an ACK that says nothing new, at once or 4.8 s later.
func TestNeedlessWithoutSACK(t *testing.T) {
	for _, x := range [][2]string{
		{"150 ack 1", "241 ack 1001; vain 1"},
		{"150 ack 1", "5000 ack 1001; vain 0"},
		{"150 ack 1 optlen 36 sack 201-301", "241 ack 1001; vain 0"}, // it has room, and would report it
	} {
		p := newPlay(t)
		p.run("-40 A syn 0 0 0 mss 100; 0 B synAck 0 1 0 mss 100")
		for i := range 10 {
			p.data(float64(i), seq.SSN(1+100*i), 100)
		}
		p.run("149 ack 1; " + x[0] + "; 200 data 1+100; 200 data 101+100; 240 ack 1001; vain 0; " + x[1])
	}
}
