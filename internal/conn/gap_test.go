package conn

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/subflow"
)

func at(num uint64) subflow.Stamp { return subflow.Stamp{Packet: num, Time: int64(num) * 1000} }

// TestGapsTogether: two subflows lack data between packets 10 and 20, as their own packets at 8 and 22,
// and 10 and 20 show. It is one gap.
func TestGapsTogether(t *testing.T) {
	c := &Conn{}
	c.noteGap(&subflow.Gap{Before: at(8), After: at(20)}, Missing{0, A, 500}, 0)
	c.noteGap(&subflow.Gap{Before: at(10), After: at(22)}, Missing{1, A, 300}, 0)
	c.noteGap(&subflow.Gap{Before: at(30), After: at(31)}, Missing{1, B, 7}, 0)
	list, omitted, bytes := c.Gaps()
	if len(list) != 2 || omitted != 0 || bytes != 807 || list[0].Before != at(10) || list[0].After != at(20) || len(list[0].Missing) != 2 {
		t.Errorf("%+v, %d omitted, %d bytes", list, omitted, bytes)
	}
	// Data of subflow 0 was captured late: the rest is still missing. Then that comes, too.
	c.foundData(&subflow.Gap{Before: at(8), After: at(20)}, Missing{0, A, 500})
	if _, _, bytes := c.Gaps(); bytes != 307 {
		t.Errorf("%d bytes are missing, want 307", bytes)
	}
	c.foundData(&subflow.Gap{Before: at(10), After: at(22)}, Missing{1, A, 300})
	c.foundData(&subflow.Gap{Before: at(30), After: at(31)}, Missing{1, A, 7}) // of the other direction
	if list, _, bytes := c.Gaps(); len(list) != 1 || bytes != 7 {
		t.Errorf("%+v, %d bytes, want the last gap", list, bytes)
	}
}

// TestManyGaps: of more gaps than are kept, the longest and the latest stay; bytes are those of all.
func TestManyGaps(t *testing.T) {
	c := &Conn{}
	const n = 3 * maxGaps
	for i := range uint64(n) {
		length := uint64(2)
		if i == 1 || i == n-2 {
			length = 9
		}
		c.noteGap(&subflow.Gap{Before: at(10 * i), After: at(10*i + length)}, Missing{0, A, 10}, 0)
	}
	list, omitted, bytes := c.Gaps()
	assert.Check(t, len(list) == maxGaps && omitted == n-maxGaps && bytes == 10*n, "%d gaps, %d omitted, %d bytes", len(list), omitted, bytes)
	long := 0
	for i := range list {
		if list[i].Duration() == 9000 {
			long++
		}
	}
	if long != 2 || c.LatestGap().Before != at(10*(n-1)) {
		t.Errorf("%d long gaps, want 2; the latest is %+v", long, c.LatestGap())
	}
}

// TestGapChangesTimes: a gap changes measured times if it lasts more than an eighth of the least round
// trip. What was sent before its end may have been acknowledged in it.
func TestGapChangesTimes(t *testing.T) {
	for leastRTT, until := range map[int64]int64{8000: 0, 7999: 11_000} { // the gap has 1000 ns
		var c Conn
		c.noteGap(&subflow.Gap{Before: at(10), After: at(11)}, Missing{0, A, 5}, leastRTT)
		assert.Check(t, !c.SentBeforeGap(until) && (until <= 0 || c.SentBeforeGap(until-1)), "least round trip of %d ns: until %d", leastRTT, c.gaps.until)
	}
}

// TestGapsThatTouch: gaps are one if they overlap in time, and then where they overlap. What is missing
// counts by subflow and end.
func TestGapsThatTouch(t *testing.T) {
	var c Conn
	if c.LatestGap() != nil || c.SentBeforeGap(0) {
		t.Error("a gap of no packets")
	}
	c.noteGap(&subflow.Gap{Before: at(10), After: at(20)}, Missing{0, A, 5}, 0)
	c.noteGap(&subflow.Gap{Before: at(20), After: at(30)}, Missing{0, A, 6}, 0) // behind it
	c.noteGap(&subflow.Gap{Before: at(12), After: at(18)}, Missing{0, A, 7}, 0) // within the first one
	c.noteGap(&subflow.Gap{Before: at(11), After: at(19)}, Missing{0, B, 8}, 0)
	c.noteGap(&subflow.Gap{Before: at(11), After: at(19)}, Missing{2, A, 9}, 0)
	want := []Gap{{at(12), at(18), []Missing{{0, A, 12}, {0, B, 8}, {2, A, 9}}}, {at(20), at(30), []Missing{{0, A, 6}}}}
	list, _, bytes := c.Gaps()
	if d := cmp.Diff(want, list); d != "" || bytes != 35 || list[0].Duration() != 6000 {
		t.Errorf("%d bytes (-want +got):\n%s", bytes, d)
	}
	c.foundData(&subflow.Gap{Before: at(12), After: at(18)}, Missing{0, A, 4})
	c.foundData(&subflow.Gap{Before: at(12), After: at(18)}, Missing{0, B, 80}) // more than is missing
	want[0].Missing = []Missing{{0, A, 8}, {2, A, 9}}
	list, _, bytes = c.Gaps()
	if d := cmp.Diff(want, list); d != "" || bytes != 35-4-8 {
		t.Errorf("%d bytes when some was found (-want +got):\n%s", bytes, d)
	}
}

// TestGapsOfPacket: the gap is of the other end, whose data the packet acknowledges. What was sent before
// the capture began is no gap.
func TestGapsOfPacket(t *testing.T) {
	p := Packet{SubflowDir: &SubflowDir{Sub: &Subflow{ID: 3}, Conn: &Conn{}, From: A}}
	p.Sub.Senders[B].RTT.Min, p.Sub.Senders[A].RTT.Min = 8000, 1
	p.TCP.Ack.Gaps = []subflow.Gap{{Before: at(1), After: at(2), Bytes: 0}, {After: at(4), Bytes: 5}, {Before: at(7), After: at(8), Bytes: 6}}
	p.takeGaps()
	list, _, bytes := p.Conn.Gaps()
	if d := cmp.Diff([]Gap{{at(7), at(8), []Missing{{3, B, 6}}}}, list); d != "" || bytes != 6 || p.Conn.SentBeforeGap(0) {
		t.Errorf("%d bytes (-want +got):\n%s", bytes, d)
	}
	for after, noted := range map[uint64]bool{10_000: false, 10_001: true} { // a subflow without its SYN began at 0
		p := Packet{SubflowDir: &SubflowDir{Sub: &Subflow{NoSYN: true}, Conn: &Conn{}, From: A}}
		p.TCP.Ack.Gaps = []subflow.Gap{{Before: at(1), After: at(after), Bytes: 5}}
		p.takeGaps()
		list, _, _ := p.Conn.Gaps()
		assert.Check(t, (len(list) == 1) == noted, "a gap at %d µs: %v", after, list)
	}
	p.From, p.TCP.Ack.Gaps = B, nil
	p.TCP.Sent.Found = []subflow.Gap{{Before: at(7), After: at(8), Bytes: 2}}
	if p.takeGaps(); p.Conn.gaps.bytes != 4 {
		t.Errorf("%d bytes are missing when 2 of 6 came", p.Conn.gaps.bytes)
	}
}
