package subflow

import (
	"testing"

	"mpanalyze/internal/seq"
)

// The rules of round-trip samples: the source, the sample, and that of the newest segment, in ms.
func TestRTT(t *testing.T) {
	scripts(t, [][2]string{
		// Rule 1: the handshake is the first sample.
		{"SYN to SYN/ACK at the initiator; the third ACK comes at once", "0 A syn 0 0 0; 40 B synAck 0 1 0; sample cumulative 40 40; 40 A ack 1 1 0; sample cumulative 0 0"},
		{"SYN/ACK to third ACK at the responder", "0 A syn 0 0 0; 1 B synAck 0 1 0; 41 A ack 1 1 0; sample cumulative 40 40"},
		{"none by sending times if the SYN was repeated", "0 A syn 0 0 0; 1000 A syn 0 0 0; 1040 B synAck 0 1 0; sample none"},
		{"the echo tells which SYN was answered", "0 A syn 0 0 0 ts 100,0; 1000 A syn 0 0 0 ts 1100,0; 1040 B synAck 0 1 0 ts 9,1100; sample timestamp 40 0"},

		// Rule 2: one sample per ACK, from the oldest segment that it newly covers.
		{"a delayed ACK covers two: the older counts, the newer is rtt_newest", "opened; 0 data 1+1000; 10 data 1001+1000; 50 ack 2001; sample cumulative 50 40"},
		{"any of those covered was retransmitted: none; the third was sent once, at 2", "opened; 0 segments 3; 300 data 1001+1000; 340 ack 3001; sample newest 0 338"},
		{
			"a part of one was retransmitted: none for the ACK that covers it",
			"opened; 0 data 1+1000; 300 data 501+100; 340 ack 501; sample cumulative 340 340; 341 ack 601; sample none; 342 ack 1001; sample cumulative 342 342",
		},
		{
			"what was SACKed before is not the oldest; the late ACK covers 1, sent at 0, and 2001, sent at 20",
			"opened; 0 data 1+1000; 10 data 1001+1000; 20 data 2001+1000; 60 ack 1 sack 1001-2001; sample selective 50 50; 70 ack 3001; sample cumulative 70 50",
		},
		{"a segment acknowledged in part counts for that part", "opened; 0 data 1+3000; 40 ack 1001; sample cumulative 40 40; 45 ack 3001; sample cumulative 45 45"},
		{"FIN takes part like data", "opened; 0 fin 1+0; 40 ack 2; sample cumulative 40 40"},
		{"a FIN sent twice gives none", "opened; 0 fin 1+0; 240 fin 1+0; 280 ack 2; sample none"},
		{"an ACK of nothing new gives none", "opened; 0 segments 1; 40 ack 1; sample none; 50 ack 1001; 60 ack 1001; sample none"},
		{"the SACK came before its data; the later acknowledgment covers nothing new of it", "opened; 0 data 1+1000; 2 data 2001+1000; 41 ack 1 sack 1001-3001; 41.1 data 1001+1000; 60 ack 3001; covered 1-1001; sample cumulative 60 60"},

		// Rule 3: without a cumulative sample, the newly SACKed segment of lowest sequence number that was never
		// retransmitted. Six segments are sent at 0, 1, ... 5 ms.
		{"the lowest of several blocks, whose newest stands first", "opened; 0 segments 6; 45 ack 1 sack 5001-6001,1001-2001; sample selective 44 40; covered 1001-2001,5001-6001"},
		{
			"only what is new in a growing block",
			"opened; 0 segments 6; 41 ack 1 sack 1001-2001; sample selective 40 40; 43 ack 1 sack 1001-4001; sample selective 41 40; covered 2001-4001; 44 ack 1 sack 1001-4001; sample none",
		},
		{"retransmitted ones are passed over", "opened; 0 segments 6; 300 data 1001+1000; 340 ack 1 sack 1001-3001; sample selective 338 338"},
		{"it stands in where the cumulative part gives none", "opened; 0 segments 6; 300 data 1+1000; 340 ack 1001 sack 3001-4001; sample selective 337 337"},
		{"a cumulative sample comes first", "opened; 0 segments 6; 43 ack 1001 sack 3001-4001; sample cumulative 43 40"},
		{"a DSACK gives none", "opened; 0 segments 6; 45 ack 6001; 300 data 1+1000; 340 ack 6001 sack 1-1001; sample none; dsacks 1"},

		// Rule 4: the echoed timestamp, where SND.UNA advanced and nothing else gave a sample.
		{"the copy's own timestamp", "opened ts 1,1; 0 data 1+1000 ts 100,1; 300 data 1+1000 ts 400,1; 340 ack 1001 ts 7,400; sample timestamp 40 0"},
		{"counted from the first packet with that timestamp", "opened ts 1,1; 0 data 1+1000 ts 100,1; 300 data 1+1000 ts 400,1; 300.5 data 1001+1000 ts 400,1; 340 ack 1001 ts 7,400; sample timestamp 40 0"},
		{"none if SND.UNA stands", "opened ts 1,1; 0 data 1+1000 ts 100,1; 40 ack 1 ts 7,100; sample none"},
		{"none with data that acknowledges nothing new", "opened ts 1,1; 0 data 1+1000 ts 100,1; 40 B ack 1 1 500 ts 7,100; sample none"},
		{"none if the echoed value was never seen", "opened ts 1,1; 0 data 1+1000 ts 100,1; 300 data 1+1000 ts 400,1; 340 ack 1001 ts 7,399; sample none"},
		{"32 ticks across the wrap of the timestamp clock", "opened ts 4294967040,4294967040; 0 data 1+1000 ts 4294967280,1; 300 data 1+1000 ts 16,1; 340 ack 1001 ts 7,16; sample timestamp 40 0"},

		{
			"the acknowledgment of a RST says what arrived, which no SACK had; nothing else of it counts",
			"opened; 0 segments 2; 41 ack 1 sack 1001-2001; 50 B rst|ack 1 1501 0; covered 1-1001; sample none; una 1; unresolved 1",
		},
		{
			"a segment that fills a hole is a retransmission: its acknowledgment gives none",
			"opened; 0 data 1+1000; 1 data 2001+1000; 41 ack 1001; 42 ack 1001 sack 2001-3001; 100 data 1001+1000; samples 3; 140 ack 3001; samples 3",
		},
	})
}

// The far part of the round trip: from B's packet to A's first payload that echoes its
// timestamp.
func TestFarHalf(t *testing.T) {
	const isn = 50 // A's timestamps in the handshake
	p := opened(t, ts(isn, isn))
	p.give(0, B, ack, 1, 1, 0, ts(60, isn))
	p.give(1, A, ack, 1, 1, 1000, ts(61, isn)) // before it could echo 60
	p.give(29, A, ack, 1001, 1, 1000, ts(89, isn))
	p.give(30, A, ack, 2001, 1, 1000, ts(90, 60))
	want(t, "30 ms after B's packet, 1 ms after the one before", p.last.FarHalfRTT, 30*ms)
	p.give(31, A, ack, 3001, 1, 1000, ts(91, 60))
	want(t, "the same echo again", p.last.FarHalfRTT, 0)

	// A pause of half of the far part is no pause yet.
	for i, pause := range []float64{15, 15.1} {
		at := 40 + 100*float64(i)
		echoed, start := uint32(100+i), seq.SSN(4001+2000*i)
		p.give(at, B, ack, 1, start, 0, ts(echoed, 91))
		p.give(at+30-pause, A, ack, start, 1, 1000, ts(uint32(at), 60))
		p.give(at+30, A, ack, start+1000, 1, 1000, ts(uint32(at)+1, echoed))
		want(t, "30 ms after B's packet, and after a pause", p.last.FarHalfRTT, []int64{30 * ms, 0}[i])
	}
}

// TestPositions: what a direction shows of a stream with holes.
func TestPositions(t *testing.T) {
	for _, c := range []struct {
		what    string
		play    string
		inOrder seq.SSN
		holed   bool
		sacks   bool
	}{
		{"nothing", "", 1, false, false},
		{"in order", "0 data 1+1000", 1001, false, false},
		{"a hole", "0 data 1+1000; 1 data 2001+1000", 1001, true, false},
		{"an ACK below the hole", "0 data 1+1000; 1 data 2001+1000; 40 ack 501", 1001, true, false},
		{"an ACK up to the end of the hole", "0 data 1+1000; 1 data 2001+1000; 40 ack 2001", 2001, false, false},
		{"a SACK above a hole", "0 segments 2; 40 ack 1 sack 1001-2001", 2001, false, true},
	} {
		p := opened(t)
		p.run(c.play)
		want(t, c.what+": in order", p.a().InOrder(), c.inOrder)
		want(t, c.what+": holed", p.a().Holed(), c.holed)
		want(t, c.what+": SACKs", p.a().SACKsHole(), c.sacks)
	}
}
