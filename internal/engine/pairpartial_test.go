package engine_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/pair/clock"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// losses is a sink of packets.
type losses struct{ sent []int64 } // ns since the connection's start

func (l *losses) Packet(p *report.PacketRow) error {
	if p.Fate == "lost" {
		l.sent = append(l.sent, p.Sent)
	}
	return nil
}

// TestPairPartial: captures that begin late or end early have the losses that the whole
// captures have for the time that both cover. Losses next to its ends may or may not be
// among them, because it is not known when those packets would have arrived.
func TestPairPartial(t *testing.T) {
	t.Parallel()
	const border = 500 * time.Millisecond
	for _, name := range []string{"b-lte-cubic", "p-nat"} {
		client, server := framesOf(t, session("v1/"+name+"/client.pcap.zst")), framesOf(t, session("v1/"+name+"/server.pcap.zst"))
		whole, losses := lossesOf(t, client.saved(t), server.saved(t))
		length := float64(whole.Connections[0].DurationS)
		for _, c := range []struct {
			what                     string
			from, to, fromFar, toFar float64
		}{
			{"the server's begins late", 0, 1, 0.3, 1},
			{"the client's begins late", 0.3, 1, 0, 1},
			{"the server's ends early", 0, 1, 0, 0.7},
			{"the client's ends early", 0, 0.7, 0, 1},
			{"they overlap", 0.2, 1, 0, 0.8},
		} {
			from, to := length*max(c.from, c.fromFar), length*min(c.to, c.toFar)
			sure, possible := 0, 0
			for _, at := range losses.sent {
				s := float64(at) / 1e9
				if s > from+border.Seconds() && (to == length || s < to-border.Seconds()) {
					sure++
				}
				if s > from-border.Seconds() && s < to+border.Seconds() {
					possible++
				}
			}
			_, got := lossesOf(t, client.window(c.from, c.to).saved(t), server.window(c.fromFar, c.toFar).saved(t))
			if n := len(got.sent); n < sure || n > possible {
				t.Errorf("%s, %s: %d losses, want %d to %d", name, c.what, n, sure, possible)
			}
		}
	}
}

func lossesOf(t *testing.T, sender, receiver string) (*report.Document, *losses) {
	t.Helper()
	l := &losses{}
	o := wholly(sender)
	o.Receiver, o.Clock, o.Packets = []string{receiver}, clock.None, l
	doc := analyzed(t, o)
	assert.Assert(t, len(doc.Connections) == 1, "%d connections, want 1", len(doc.Connections))
	return doc, l
}

// TestPairFiles: the report does not depend on link types, formats, resolutions, snapshot
// lengths and the number of files of either capture.
func TestPairFiles(t *testing.T) {
	t.Parallel()
	net := tracegen.NewNetwork(time.Time{})
	s := net.Session(tracegen.Config{Version: 1, AckEvery: 2})
	random := rand.New(rand.NewPCG(7, 8))
	lost := int64(0)
	for i := range 2 {
		f := s.Subflow(onPath(uint8(i)))
		f.Open(time.Duration(50*i) * time.Millisecond)
		for k := range 1000 {
			x := f.Data(tracegen.A2B, time.Duration(200+k)*time.Millisecond, int64(1000*(2*k+i)), 1000)
			if random.IntN(50) == 0 {
				lost++
				x.Lose().Again(x.SentAt() + 40*time.Millisecond)
			}
		}
	}
	a, b := net.Packets(tracegen.HostA), net.Packets(tracegen.HostB)
	_, first := lossesOf(t, writeView(t, "a.pcap", a, tracegen.Format{Nanosecond: true}, nil), writeView(t, "b.pcap", b, tracegen.Format{Nanosecond: true}, nil))
	assert.Check(t, int64(len(first.sent)) == lost, "%d losses, want %d", len(first.sent), lost)
	formats := []tracegen.Format{
		{}, {SnapLen: 96}, {PcapNG: true}, {BigEndian: true, Link: tracegen.LinkSLL}, {PcapNG: true, SnapLen: 110, Link: tracegen.LinkSLL2}, {Link: tracegen.LinkRaw},
	}
	for i, x := range formats {
		y := formats[(i+1)%len(formats)]
		half := func(n int) func(*tracegen.Packet) bool { // each subflow's packets in a file of their own
			return func(p *tracegen.Packet) bool { return (p.Src.Port()+p.Dst.Port())%2 == uint16(n) }
		}
		o := wholly(writeView(t, "a0", a, x, half(0)), writeView(t, "a1", a, x, half(1)))
		o.Receiver, o.Clock = []string{writeView(t, "b", b, y, nil)}, clock.None
		doc := analyzed(t, o)
		var got [2]int64
		for k := range doc.Connections[0].Subflows {
			got[0] += doc.Connections[0].Subflows[k].A2B.Drops.Count
			got[1] += doc.Connections[0].Subflows[k].A2B.Network.MatchedPackets
		}
		assert.Check(t, is.DeepEqual(got, [2]int64{lost, 2000}), "format %d with the next one: lost and matched", i)
	}
}
