package subflow

import "testing"

// Segments are MSS units: ceil(bytes / (MSS - option bytes)).
func TestSegmentsAreMSSUnits(t *testing.T) {
	tests := []struct {
		name  string
		mss   uint16
		opts  uint8
		bytes uint32
		want  int64
	}{
		{"one byte", 1000, 0, 1, 1},
		{"one full segment", 1000, 0, 1000, 1},
		{"one byte more", 1000, 0, 1001, 2},
		{"a super-segment: 64000 / (1460 - 12) = 44.2", 1460, 12, 64000, 45},
		{"exactly ten: 10 * (1460 - 32)", 1460, 32, 14280, 10},
		{"options change the unit: 1448 / (1460 - 20) = 1.006", 1460, 20, 1448, 2},
		{"no MSS told: 1460 - 0", 0, 0, 1461, 2},
		{"an MSS below the options: one byte each", 10, 20, 3, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay(t)
			var mss []option
			if tt.mss > 0 {
				mss = append(mss, offers(tt.mss))
			}
			p.give(0, A, syn, 0, 0, 0)
			p.give(1, B, synAck, 0, 1, 0, mss...)
			p.data(2, 1, tt.bytes, optLen(tt.opts))
			want(t, "segments", p.a().Segments, tt.want)
			want(t, "captured segments", p.a().CapturedSegments, 1)
			want(t, "bytes", p.a().Bytes, int64(tt.bytes))
		})
	}
}

// What a packet repeats: its parts, then the segments and bytes that A sent again, and its packets out of
// order. A segment is 1000 bytes.
func TestRetransmission(t *testing.T) {
	scripts(t, [][2]string{
		{"whole", "opened; 0 segments 2; again 0 0; 5 data 1+1000; parts again 1-1001; range 1-1001; again 1 1000; disordered 0"},
		{"a part of one", "opened; 0 data 1+3000; 5 data 1001+500; parts again 1001-1501; range 1001-1501; again 1 500; disordered 0"},
		{"across two", "opened; 0 segments 2; 5 data 501+1000; parts again 501-1501; again 1 1000; disordered 0"},
		{"more than was sent: the rest is new", "opened; 0 segments 1; 5 data 501+1500; parts again 501-1001, new 1001-2001; range 501-2001; again 1 500; disordered 0"},
		{"a super-segment again, as one", "opened; 0 data 1+4500; 5 data 1+4500; parts again 1-4501; again 5 4500; disordered 0"},
		{"fills a hole", "opened; 0 data 1+1000; 1 data 2001+1000; 5 data 1001+1000; parts new 1001-2001; again 0 0; disordered 1"},
		{"fills part of a hole", "opened; 0 data 1+1000; 1 data 4001+1000; 5 data 2001+1000; parts new 2001-3001; again 0 0; disordered 1"},
		{"fills and repeats", "opened; 0 data 1+1000; 1 data 2001+1000; 5 data 1001+2000; parts new 1001-2001, again 2001-3001; again 1 1000; disordered 0"},
		{
			"repeats, fills and goes on",
			"opened; 0 data 1+1000; 1 data 2001+1000; 5 data 501+3000; parts again 501-1001, new 1001-2001, again 2001-3001, new 3001-3501; again 2 1500; disordered 0",
		},
		{
			"two holes in one", "opened; 0 data 101+100; 1 data 301+100; 5 data 1+400; parts new 1-101, again 101-201, new 201-301, again 301-401; again 1 200; disordered 0",
		},
		// A small packet cannot hold more retransmitted segments than segments.
		{"repeats three pieces of 100 bytes, in one segment", "opened; 0 data 101+100; 1 data 301+100; 2 data 501+100; 3 data 1+700; segments 4; again 1 300"},
		// Data that is captured after its ACK is new when it comes; it is neither out of order nor a copy.
		{
			"the ACK was captured before the data; a second copy is one",
			"opened; 0 data 1+1000; 1 ack 2001; 1.1 data 1001+2000; parts new 1001-3001; again 0 0; disordered 0; fills 0; inflight 1000; 41.1 ack 3001; sample cumulative 40 40; 50 data 1001+1000; again 1 1000",
		},
		// Bytes of a RST are an explanation (RFC 9293, Section 3.5.3) and not data.
		{"a RST with payload", "opened; 0 A rst|ack 1 1 20; bytes 0; segments 0; nxt 1; resets 1"},
	})
}

// A FIN: its position, whether the direction has one, whether it is new in the last packet, and whether it is
// acknowledged.
func TestFIN(t *testing.T) {
	scripts(t, [][2]string{
		{
			"behind data; repeated alone, where no data is repeated, and with its data",
			"opened; 0 fin 1+1000; fin 1001 true true false; nxt 1002; segments 1; 40 ack 1001; fin 1001 true false false; " +
				"300 fin 1001+0; fin 1001 true false false; again 0 0; 301 fin 1+1000; again 1 1000; 341 ack 1002; fin 1001 true false true",
		},
		{"before the data below it", "opened; 0 fin 1001+0; 1 data 1+1000; parts new 1-1001; nxt 1002"},
	})
	p := opened(t)
	p.run("0 fin 1+1000; 300 fin 1001+0; 301 fin 1+1000")
	byCause := p.a().Loss.ByCause
	want(t, "FINs; causes count data only", []int64{p.a().FINs, byCause[FastRetransmit] + byCause[Timeout] + byCause[TailLossProbe] + byCause[UnknownCause]}, []int64{3, 1})
}

func TestPureAndDuplicateACKs(t *testing.T) {
	p := opened(t)
	p.run("1 ack 1; bdups 0; 2 data 1+3000; 3 ack 1; 4 ack 1; bdups 2")
	for _, none := range []string{
		"5 ack 1 window 400",                // a window update
		"6 B ack 1 1 10 window 400",         // data
		"7 ack 1001 window 400",             // progress
		"8 ack 1001 window 400 other 8",     // signals an address
		"9 B ack 11 1001 0 window 400 news", // moves the DATA_ACK
		"10 B rst|ack 11 1001 0 window 400",
		"11 B fin 11 1001 0 window 400",
	} {
		p.run(none + "; bdups 2")
	}
	want(t, "pure ACKs: all but data, RST, FIN and the SYN/ACK", p.Senders[B].PureACKs, 7)
	want(t, "packets", p.Senders[B].Packets, 11)
}

func TestZeroWindows(t *testing.T) {
	scripts(t, [][2]string{{
		"the window closed twice; a RST has none",
		"opened; 0 ack 1 window 100; 1 ack 1 window 0; 2 ack 1 window 0; 3 ack 1 window 50; 4 ack 1 window 0; 5 ack 1 window 10; bzerowindows 2; 10 B rst 1 0 0 window 0; bzerowindows 2",
	}})
}

func TestKeepAlives(t *testing.T) {
	scripts(t, [][2]string{
		{"without bytes; a probe has none", "opened; 0 data 1+1000; 40 ack 1001; 2000 data 1000+0; probes 1; again 0 0; bytes 1000; parts "},
		{"without bytes, at once: a window probe", "opened; 0 data 1+1000; 40 ack 1001; 50 data 1000+0; probes 1; again 0 0; bytes 1000"},
		{"with a byte after a silence of a second", "opened; 0 data 1+1000; 40 ack 1001; 1000 data 1000+1; probes 1; again 0 0; bytes 1000"},
		{"a byte before that is sent again", "opened; 0 data 1+1000; 40 ack 1001; 999.999 data 1000+1; probes 0; again 1 1"},
		{"two bytes are sent again", "opened; 0 data 1+1000; 40 ack 1001; 2000 data 999+2; probes 0; again 1 2"},
		{"at the right edge it is an ACK", "opened; 0 data 1+1000; 40 ack 1001; 2000 data 1001+0; probes 0; again 0 0"},
		{"the next byte is data", "opened; 0 data 1+1000; 40 ack 1001; 2000 data 1001+1; probes 0; again 0 0"},
		{"not while something is outstanding", "opened; 0 data 1+1000; 2000 data 1000+1; probes 0; again 1 1"},
	})
	p := opened(t)
	p.run("0 B ack 1 1 10; 2000 data 0+0; probes 1")
	want(t, "a probe is no duplicate ACK", p.a().DupACKs, 0)
}

func TestStrays(t *testing.T) {
	p := opened(t)
	p.data(0, 1, 1000)
	before := p.a().Counters
	p.data(1, 1+maxWindow+1001, 1000, ts(5, 5), window(0))
	want(t, "stray", p.last.Sent.Stray, true)
	p.give(2, A, rst, -maxWindow, 0, 0)
	want(t, "stray RST", p.last.Sent.Stray, true)
	before.Strays = 2
	want(t, "counters", p.a().Counters, before)
	want(t, "state", p.State, Open)

	p.acks(3, 1001+maxWindow+1)
	want(t, "an ACK of what no window holds moves nothing", p.a().SndUna(), 1)
	p.acks(40, 1001)
	want(t, "the true one does", p.a().SndUna(), 1001)
}

func TestIdle(t *testing.T) {
	p := newPlay(t)
	for _, at := range []float64{0, 10, 250, 260} {
		p.give(at, A, ack, 1, 1, 0)
	}
	p.give(9000, B, ack, 1, 1, 0)
	want(t, "longest gap of A, ns", p.a().MaxIdle, 240*ms)
	want(t, "longest gap of B, ns", p.Senders[B].MaxIdle, 0)
}
