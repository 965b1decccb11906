package engine_test

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// What the sessions with data in the SYN carry, bytes: in the SYN, and behind it.
const (
	inSYN  = 500
	behind = 4000
)

var fastCookie = []byte{0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4}

// mappingRows keeps the mappings of what A sends.
type mappingRows struct {
	seriesCount
	rows []report.MappingRow
}

func (m *mappingRows) Mappings(rows []report.MappingRow) error {
	for _, r := range rows {
		if r.Direction == report.A2B {
			m.rows = append(m.rows, r)
		}
	}
	return nil
}

// opening is a session whose SYN carries data, of two subflows that carry two
// thousand bytes each behind it.
func opening(cfg tracegen.Config, capable, synack bool) *tracegen.Network {
	cfg.AckEvery = 1
	s := tracegen.NewSession(cfg)
	f := s.Subflow(onPath(0))
	syn := f.FastOpen(0, fastCookie, inSYN)
	answer := f.SYNACK(syn.ArrivesAt())
	at := answer.ArrivesAt()
	if first := f.Map(tracegen.A2B, 0, 1000); capable {
		first.OnCapable().Send(at, 0, 1000)
	} else {
		at = f.ThirdACK(at).ArrivesAt()
		first.Send(at, 0, 1000)
	}
	f.Data(tracegen.A2B, at+30*msec, 1000, 1000)
	second := s.Subflow(onPath(1))
	h := second.Open(at + 40*msec)
	at = h.Established()
	second.Data(tracegen.A2B, at, 2000, 1000)
	f.Data(tracegen.A2B, at, 3000, 1000)
	s.Close(at+100*msec, behind, 0)
	if synack {
		return s.Network()
	}
	n := tracegen.NewNetwork(time.Time{})
	for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
		for _, p := range s.Packets(v) {
			if p.Flags&(tracegen.SYN|tracegen.ACK) != tracegen.SYN|tracegen.ACK || p.Src != onPath(0).B {
				n.Show(v, p)
			}
		}
	}
	return n
}

// TestDataInSYN: data in the SYN has no DSN (RFC 8684, Appendix B.2). All that
// comes behind has the DSNs that its mappings say, and nothing is unmapped.
func TestDataInSYN(t *testing.T) {
	want := string(tracegen.AppendStream(nil, tracegen.A2B, -inSYN, inSYN+behind))
	for _, c := range []struct {
		name            string
		cfg             tracegen.Config
		capable, synack bool
	}{
		{"v1, data on MP_CAPABLE", tracegen.Config{Version: 1}, true, true},
		{"v1, checksums", tracegen.Config{Version: 1, Checksum: true}, true, true},
		{"v1, data on DSS", tracegen.Config{Version: 1}, false, true},
		{"v0", tracegen.Config{DSN4: true, DataAck4: true, Checksum: true, NoTimestamps: true}, false, true},
		{"SSNs from the ISN", tracegen.Config{Version: 1, SSNFromISN: true}, false, true},
		{"SYN/ACK not captured", tracegen.Config{Version: 1}, true, false},
	} {
		n := opening(c.cfg, c.capable, c.synack)
		for _, v := range []tracegen.View{tracegen.HostA, tracegen.HostB} {
			if got, err := follow(t, n, v); got != want || err != nil {
				t.Errorf("%s: view %d gives %d bytes, right up to byte %d, %v; want %d", c.name, v, len(got), common(got, want), err, len(want))
			}
			file := viewed(t, n, v, nanoseconds)
			o := everything(bytes.NewReader(file))
			rows := &mappingRows{seriesCount: seriesCount{}}
			o.Rows = rows
			doc, err := engine.Analyze(context.Background(), o)
			if err != nil || reporttest.Check(doc) != nil || len(doc.Connections) != 1 {
				t.Fatal(err, reporttest.Check(doc), len(doc.Connections))
			}
			k := &doc.Connections[0]
			for _, e := range k.Events {
				if strings.Contains("unmapped_data fallback mapping_conflict checksum_error", string(e.Kind)) {
					t.Errorf("%s: event %s: %s", c.name, e.Kind, e.Detail)
				}
			}
			if k.A2B.Bytes == nil || *k.A2B.Bytes != inSYN+behind || *k.Subflows[0].A2B.Bytes != inSYN+3000 || *k.Subflows[1].A2B.Bytes != 1000 {
				t.Errorf("%s: bytes %v, subflows %v and %v", c.name, *k.A2B.Bytes, *k.Subflows[0].A2B.Bytes, *k.Subflows[1].A2B.Bytes)
			}
			if vantage := map[tracegen.View]report.Vantage{tracegen.HostA: "a", tracegen.HostB: "b"}[v]; c.synack && k.Vantage != vantage {
				t.Errorf("%s: vantage %s, want %s", c.name, k.Vantage, vantage)
			}
			// Nothing is sent twice, so that goodput is throughput; and the roles of both
			// hosts are known though the SYN passed before they were.
			if good, all := k.A2B.Goodput, k.A2B.Throughput; good == nil || all == nil || math.Abs(good.Avg-all.Avg) > 1e-9 {
				t.Errorf("%s: goodput %v, throughput %v", c.name, good, all)
			}
			if d := k.Subflows[0].A2B.InFlightBytes; c.synack && (d != nil) != (v == tracegen.HostA) {
				t.Errorf("%s: view %d: bytes in flight, which the sender's capture shows: %v", c.name, v, d)
			}
			x := k.Subflows[0].FastOpen
			if x == nil || x.CookieRequest || x.Cookie == nil || *x.Cookie != "deadbeef01020304" || x.CookieGiven != nil || x.Experimental ||
				x.SYNBytes != inSYN || x.AcceptedBytes == nil || *x.AcceptedBytes != inSYN {
				t.Errorf("%s: fast_open %+v", c.name, x)
			}
			// Position 1 is the first byte behind the SYN's data, on the subflow at 1 + 500.
			var got []seq.Range[int64]
			for _, r := range rows.rows {
				if r.Subflow == 0 && r.Length > 0 && !slices.Contains(got, seq.Range[int64]{Start: r.DSN, End: r.SSN}) {
					got = append(got, seq.Range[int64]{Start: r.DSN, End: r.SSN})
				}
			}
			if want := []seq.Range[int64]{{Start: 1, End: 501}, {Start: 1001, End: 1501}, {Start: 3001, End: 2501}}; !slices.Equal(got, want) {
				t.Errorf("%s: mappings (DSN, SSN) %v, want %v", c.name, got, want)
			}
		}
	}
}

// TestDataInSYNDeclined: data in the SYN that the responder did not take is sent
// again, under a mapping or after a fallback as Linux does, and counts once.
func TestDataInSYNDeclined(t *testing.T) {
	for _, plain := range []bool{false, true} {
		s := tracegen.NewSession(tracegen.Config{Version: 1, NoTimestamps: true}) // else the cookie has no room
		f := s.Subflow(onPath(0))
		syn := f.FastOpen(0, nil, inSYN).Decline()
		answer := f.SYNACK(syn.ArrivesAt()).GiveCookie(fastCookie)
		at := answer.ArrivesAt()
		if first := f.Map(tracegen.A2B, 0, 1000); plain {
			first.Bare().Send(at, 0, 1000)
			f.Ack(tracegen.B2A, at+10*msec).Bare()
		} else {
			first.OnCapable().Send(at, 0, 1000)
			f.Ack(tracegen.B2A, at+10*msec)
		}
		f.FIN(tracegen.A2B, at+50*msec)
		f.FIN(tracegen.B2A, at+65*msec)
		f.Ack(tracegen.A2B, at+80*msec).Bare()
		// The SYN carried what is sent again.
		n := tracegen.NewNetwork(time.Time{})
		for i, p := range s.Packets(tracegen.HostA) {
			if i == 0 {
				p.Payload = tracegen.AppendStream(nil, tracegen.A2B, 0, inSYN)
			}
			n.Show(tracegen.HostA, p)
		}
		if got, err := follow(t, n, tracegen.HostA); got != streamOf(1000) || err != nil {
			t.Errorf("plain %v: %d bytes, right up to %d, %v", plain, len(got), common(got, streamOf(1000)), err)
		}
		doc, _ := cutDocument(t, n, 0)
		k := &doc.Connections[0]
		x := k.Subflows[0].FastOpen
		if *k.A2B.Bytes != 1000 || (k.Fallback != nil) != plain || x == nil || !x.CookieRequest || x.Cookie != nil ||
			x.CookieGiven == nil || *x.CookieGiven != "deadbeef01020304" || x.SYNBytes != inSYN || *x.AcceptedBytes != 0 {
			t.Errorf("plain %v: %d bytes, fallback %v, fast_open %+v", plain, *k.A2B.Bytes, k.Fallback, x)
		}
		for _, e := range k.Events {
			assert.Check(t, e.Kind != report.EventUnmappedData && e.Kind != report.EventFastOpen, "plain %v: event %s: %s", plain, e.Kind, e.Detail)
		}
	}
}

// TestFastOpenPlain: TCP Fast Open of plain TCP is reported, too, and so is its
// experimental option.
func TestFastOpenPlain(t *testing.T) {
	s := tracegen.NewSession(tracegen.Config{Plain: true, AckEvery: 1})
	f := s.Subflow(onPath(0))
	syn := f.FastOpen(0, fastCookie, inSYN).Edit(func(p *tracegen.Packet) {
		at := bytes.Index(p.Options, []byte{34, 10})
		p.Options = append(append(p.Options[:at:at], 254, 12, 0xf9, 0x89), fastCookie...)
	})
	answer := f.SYNACK(syn.ArrivesAt())
	f.Map(tracegen.A2B, 0, 1000).Bare().Send(answer.ArrivesAt(), 0, 1000)
	doc, _ := cutDocument(t, s.Network(), 0)
	assert.Assert(t, len(doc.TCP) == 1, "%d plain connections, want 1", len(doc.TCP))
	x := doc.TCP[0].FastOpen
	if x == nil || !x.Experimental || *x.Cookie != "deadbeef01020304" || x.SYNBytes != inSYN || *x.AcceptedBytes != inSYN || *doc.TCP[0].A2B.Bytes != inSYN+1000 {
		t.Errorf("fast_open %+v, %d bytes", x, *doc.TCP[0].A2B.Bytes)
	}
}
