package conn

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/tracegen"
)

// nums is a module that records the packet numbers of every connection.
type nums struct {
	Nop
	seen []uint64
}

func (n *nums) Open(*Conn) Observer { return n }

func (n *nums) Packet(p *Packet) { n.seen = append(n.seen, p.Seg.Num) }

// The capture begins in the middle of a transfer, with a join. Only the first data of the
// join proves its connection, and the connection then begins with that SYN.
func TestJoinBeforeItsConnection(t *testing.T) {
	for _, tt := range []struct {
		name  string
		ahead int // segments on the other subflow between the SYN and the join's third packet
		moved int64
	}{
		{"few packets before the proof", 5, 0},
		{"more than a pending flow keeps", 3 * maxHeldPackets, 0},
		{"more than any keeps", maxHeldForJoin + 100, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := tracegen.NewSession(tracegen.Config{Version: 1})
			f, g := s.Subflow(path(0)), s.Subflow(path(1))
			f.Assume()
			h := g.Open(0)
			for i := range tt.ahead {
				f.Data(a2b, 5*ms+time.Duration(i)*ms/100, int64(1000*i), 1000)
			}
			at := h.Established() + 1*ms // the handshake takes 40 ms, the data meanwhile 6
			g.Data(a2b, at, int64(1000*tt.ahead), 1000)
			f.Data(a2b, at+1*ms, int64(1000*tt.ahead+1000), 1000)
			n := &nums{}
			r := &recorder{}
			table := NewTable(Options{}, r, n)
			packets := s.Packets(tracegen.HostA)
			for _, seg := range segments(t, packets, tracegen.LinkRaw) {
				table.Segment(&seg)
			}
			table.Finish()
			c := r.only(t).c
			if want := packets[0].Time + packet.Origin; c.Start != want || len(c.Subflows) != 2 || c.Subflows[1].Start != want {
				t.Fatalf("connection begins at %d, %d subflows; want 2, the second and the connection at %d", c.Start, len(c.Subflows), want)
			}
			if c.Subflows[0].Ends[A].Port != 40000 || c.Spaces[A].Bytes != int64(1000*(tt.ahead+2)) {
				t.Errorf("first subflow is that of port %d, %d bytes", c.Subflows[0].Ends[A].Port, c.Spaces[A].Bytes)
			}
			if got := warnings(table)["start_moved"]; got != tt.moved {
				t.Errorf("%d warnings that the start moved, want %d", got, tt.moved)
			}
			if len(n.seen) != len(packets) || tt.moved == 0 && !slices.IsSorted(n.seen) {
				t.Errorf("%d of %d packets were told of, in order: %v", len(n.seen), len(packets), slices.IsSorted(n.seen))
			}
		})
	}
}

// TestJoinBeforeItsToken: a join whose token nobody has waits. With its next packet it belongs to the
// connection whose host A has shown the token meanwhile; a join with another token still waits.
func TestJoinBeforeItsToken(t *testing.T) {
	join := withOption(back(syn(102, 1), packet.SYN), &mptcp.Join{Form: mptcp.JoinSYN, Token: mptcp.Token(0, 7)})
	other := withOption(back(syn(103, 1), packet.SYN), &mptcp.Join{Form: mptcp.JoinSYN, Token: mptcp.Token(0, 8)})
	segs := append([]packet.Segment{join, other}, established(7)...)
	table, r := feed(append(segs, join, other))
	c := r.only(t)
	if len(c.c.Subflows) != 2 || c.c.Subflows[1].Initiator != B || len(table.pendingFlows) != 1 || len(table.pendingFlows[0].held) != 2 {
		t.Errorf("%d subflows, %d flows wait", len(c.c.Subflows), len(table.pendingFlows))
	}
	if got := c.detail(EventMerged); !strings.Contains(got, "by the token of its MP_JOIN, which was seen before its connection") {
		t.Errorf("%q", got)
	}
}
