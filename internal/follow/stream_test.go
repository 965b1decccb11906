package follow

import (
	"bytes"
	"errors"
	"testing"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/dss"
	"mpanalyze/internal/seq"
)

// text is what the application of every test wrote: byte i of the stream is
// at DSN i + 1.
const text = "abcdefghijklmnopqrstuvwxyz"

// run is a piece that carries bytes [from, to) of the text.
func run(from, to int) dss.Piece {
	return dss.Piece{Data: seq.Range[seq.DSN]{Start: seq.DSN(from + 1), End: seq.DSN(to + 1)}, Payload: []byte(text[from:to])}
}

func bad(p dss.Piece) dss.Piece {
	p.Payload = bytes.ToUpper(p.Payload)
	p.Bad = true
	return p
}

// step is what one packet brings.
type step struct {
	pieces []dss.Piece
	late   []dss.Piece // with a packet of the other end
	checks []dss.Check
	ack    seq.DSN // a DATA_ACK of the other end; 0 = none
}

func play(steps []step, end seq.DSN) (string, error) {
	var out bytes.Buffer
	c := &conn.Conn{}
	c.Spaces[conn.A].SetIDSN(99)
	s := New(c, conn.A, &out)
	sub := c.Spaces[conn.A].NewSubflow(0)
	var found dss.Result
	if end > 0 { // the space has seen data up to there
		c.Spaces[conn.A].AddMapping(sub, &dss.Mapping{SSN: seq.Range[seq.SSN]{Start: 1, End: seq.SSN(end)}, DSN: 1}, nil, &found)
		c.Spaces[conn.A].AddPayload(sub, &dss.Payload{Range: seq.Range[seq.SSN]{Start: 1, End: seq.SSN(end)}, New: true, SegmentBytes: 100}, &found)
	}
	for _, x := range steps {
		p := &conn.Packet{SubflowDir: &conn.SubflowDir{Conn: c, From: conn.A}, Result: dss.Result{Pieces: x.pieces, Checks: x.checks}}
		if x.ack != 0 || x.late != nil {
			p.From, p.Pieces, p.LateMapped = conn.B, nil, x.late
			if x.ack != 0 {
				p.DataAckAdvanced = c.Spaces[conn.A].DataAck(x.ack, 1, &found)
			}
		}
		s.Packet(p)
	}
	s.Close(0)
	return out.String(), s.Err
}

func TestStream(t *testing.T) {
	pending := run(5, 10)
	pending.CheckID = 7
	spoilt := pending
	spoilt.Payload = []byte("FGHIJ")
	for _, c := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"in order", []step{{pieces: []dss.Piece{run(0, 5)}}, {pieces: []dss.Piece{run(5, 12)}}}, text[:12]},
		{"out of order", []step{{pieces: []dss.Piece{run(5, 12)}}, {pieces: []dss.Piece{run(12, 14)}}, {pieces: []dss.Piece{run(0, 5)}}}, text[:14]},
		{"copies, also of other boundaries", []step{
			{pieces: []dss.Piece{run(0, 5)}}, {pieces: []dss.Piece{run(0, 5)}}, {pieces: []dss.Piece{run(3, 9)}}, {pieces: []dss.Piece{run(2, 12)}},
		}, text[:12]},
		{"mapping came late", []step{{late: []dss.Piece{run(0, 5)}}, {pieces: []dss.Piece{run(5, 6)}}}, text[:6]},
		{"checksum holds", []step{
			{pieces: []dss.Piece{run(0, 5)}},
			{pieces: []dss.Piece{pending}},
			{pieces: []dss.Piece{run(10, 12)}, checks: []dss.Check{{ID: 7, Result: dss.CheckValid}}},
		}, text[:12]},
		{"checksum fails and another copy comes", []step{
			{pieces: []dss.Piece{run(0, 5)}},
			{pieces: []dss.Piece{spoilt}, checks: []dss.Check{{ID: 7, Result: dss.CheckInvalid}}},
			{pieces: []dss.Piece{run(10, 12)}},
			{pieces: []dss.Piece{run(4, 11)}},
		}, text[:12]},
		{"checksum fails and another copy was there", []step{
			{pieces: []dss.Piece{run(5, 10)}}, {pieces: []dss.Piece{bad(run(5, 10))}}, {pieces: []dss.Piece{run(0, 5)}},
		}, text[:10]},
		{"only the copy whose checksum fails, which the receiver took", []step{
			{pieces: []dss.Piece{run(0, 2), bad(run(2, 4))}}, {ack: 5}, {pieces: []dss.Piece{run(4, 6)}},
		}, "abCDef"},
		{"only the copy whose checksum fails, at the end", []step{{pieces: []dss.Piece{run(0, 2), bad(run(2, 4))}}}, "abCD"},
		{"the checksum is never settled", []step{{pieces: []dss.Piece{run(0, 5), pending}}}, text[:10]},
	} {
		got, err := play(c.steps, 0)
		if got != c.want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

// TestWaits: while a better copy may come, one whose checksum fails is not
// written.
func TestWaits(t *testing.T) {
	var out bytes.Buffer
	s := New(&conn.Conn{}, conn.A, &out)
	s.Packet(&conn.Packet{SubflowDir: &conn.SubflowDir{From: conn.A}, Result: dss.Result{Pieces: []dss.Piece{run(0, 2), bad(run(2, 4)), run(4, 6)}}})
	if out.String() != "ab" || s.Bytes() != 2 {
		t.Errorf("wrote %q, %d bytes; want ab", out.String(), s.Bytes())
	}
}

func TestMissing(t *testing.T) {
	cut := run(3, 9)
	cut.Payload = cut.Payload[:2]
	for _, c := range []struct {
		name  string
		steps []step
		seen  seq.DSN // end of the data that the capture shows
		want  string
		dsn   uint64
		at    int64
	}{
		{"cut by the snapshot length", []step{{pieces: []dss.Piece{run(0, 3)}}, {pieces: []dss.Piece{cut}}, {pieces: []dss.Piece{run(9, 12)}}}, 13, "abcde", 99 + 6, 5},
		{"a gap", []step{{pieces: []dss.Piece{run(0, 3)}}, {pieces: []dss.Piece{run(5, 8)}}}, 9, "abc", 99 + 4, 3},
		{"no payload at all", nil, 9, "", 99 + 1, 0},
	} {
		got, err := play(c.steps, c.seen)
		var missing *MissingError
		if !errors.As(err, &missing) || got != c.want || missing.DSN != c.dsn || missing.Byte != c.at {
			t.Errorf("%s: got %q, %v; want %q, DSN %d, byte %d", c.name, got, err, c.want, c.dsn, c.at)
		}
	}
}

// TestOtherDirection: data of the peer is not part of the stream.
func TestOtherDirection(t *testing.T) {
	var out bytes.Buffer
	s := New(&conn.Conn{}, conn.B, &out)
	s.Packet(&conn.Packet{SubflowDir: &conn.SubflowDir{From: conn.A}, Result: dss.Result{Pieces: []dss.Piece{run(0, 5)}}})
	s.Close(0)
	if out.Len() != 0 || s.Err != nil {
		t.Errorf("wrote %q, %v", out.String(), s.Err)
	}
}

type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) { return min(len(p), b.n), errors.New("disk full") }

func TestWriteError(t *testing.T) {
	s := New(&conn.Conn{}, conn.A, &broken{3})
	s.Packet(&conn.Packet{SubflowDir: &conn.SubflowDir{From: conn.A}, Result: dss.Result{Pieces: []dss.Piece{run(0, 5)}}})
	s.Packet(&conn.Packet{SubflowDir: &conn.SubflowDir{From: conn.A}, Result: dss.Result{Pieces: []dss.Piece{run(5, 9)}}})
	s.Close(0)
	if s.Err == nil || s.Err.Error() != "disk full" || s.Bytes() != 3 {
		t.Errorf("%d bytes, %v", s.Bytes(), s.Err)
	}
}

// TestTooMuchHeld: a stream whose start never comes ends at the bound.
func TestTooMuchHeld(t *testing.T) {
	s := New(&conn.Conn{}, conn.A, &bytes.Buffer{})
	block := make([]byte, 1<<20)
	for i := range maxHeld>>20 + 2 {
		start := seq.DSN(10 + i<<20)
		s.Packet(&conn.Packet{SubflowDir: &conn.SubflowDir{From: conn.A}, Result: dss.Result{Pieces: []dss.Piece{{Data: seq.Range[seq.DSN]{Start: start, End: start + 1<<20}, Payload: block}}}})
	}
	var missing *MissingError
	if !errors.As(s.Err, &missing) || s.size > maxHeld+1<<20 {
		t.Errorf("%v with %d bytes held", s.Err, s.size)
	}
}
