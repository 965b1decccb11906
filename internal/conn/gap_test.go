package conn

import (
	"testing"

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
	if len(list) != maxGaps || omitted != n-maxGaps || bytes != 10*n {
		t.Errorf("%d gaps, %d omitted, %d bytes", len(list), omitted, bytes)
	}
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
