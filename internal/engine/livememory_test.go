package engine_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net/netip"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/live"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// shortSessions are captures of short connections, from SYN to the last ACK, each with keys
// of its own; one in four is plain TCP. The client is 10.0.0.1:40000.
func shortSessions(t testing.TB, n int) (all []material) {
	t.Helper()
	for i := range n {
		s := tracegen.NewSession(tracegen.Config{Version: 1, AckEvery: 1, Plain: i%4 == 0, Keys: [2]uint64{uint64(i) + 1, uint64(i) + 1<<32}})
		f := s.Subflow(tracegen.Path{
			A: netip.MustParseAddrPort("10.0.0.1:40000"), B: netip.MustParseAddrPort("198.51.100.1:443"),
			ISN: [2]seq.Wire{seq.Wire(1000 * i), seq.Wire(2000 * i)}, Delay: [2]time.Duration{time.Millisecond, time.Millisecond},
		})
		h := f.Open(0)
		f.Data(tracegen.A2B, h.Established()+time.Millisecond, 0, 100)
		f.Data(tracegen.B2A, h.Established()+4*time.Millisecond, 0, 1000)
		s.Close(h.Established()+8*time.Millisecond, 100, 1000)
		file := viewed(t, s.Network(), tracegen.HostB, tracegen.Format{})
		all = append(all, split(t, "short", file))
	}
	return all
}

// shortConnections writes so many short connections, one each millisecond, and calls at
// with the number of each that was written.
func shortConnections(to io.WriteCloser, sessions []material, n int, at func(int)) {
	defer to.Close()
	w := bufio.NewWriterSize(to, 32<<10)
	defer w.Flush()
	if _, err := w.Write(sessions[0].file[:sessions[0].head]); err != nil {
		return
	}
	var record []byte
	for i := range n {
		m := &sessions[i%len(sessions)]
		begin := time.Duration(i) * time.Millisecond
		for _, u := range m.units {
			record = append(record[:0], m.file[u.at:u.at+u.size]...)
			readdress(record, i)
			// A connection's packets are one behind the other: the next one begins after them.
			binary.LittleEndian.PutUint32(record, uint32(1_700_000_000+begin/time.Second))
			binary.LittleEndian.PutUint32(record[4:], uint32(begin%time.Second/time.Microsecond))
			begin += 20 * time.Microsecond
			if _, err := w.Write(record); err != nil {
				return
			}
		}
		at(i + 1)
	}
}

// readdress gives the client of a record an address and port of its own.
func readdress(record []byte, i int) {
	const ip, tcp = 16 + 14, 16 + 14 + 20
	host, port := ip+16, tcp+2
	if binary.BigEndian.Uint16(record[tcp:]) == 40000 {
		host, port = ip+12, tcp
	}
	binary.BigEndian.PutUint32(record[host:], 10<<24|uint32(i/60000))
	binary.BigEndian.PutUint16(record[port:], uint16(1024+i%60000))
}

// TestLiveMemory: connections that have ended take no memory, however many they are, and no
// line has more connections than it should. With all cases, there are a million.
func TestLiveMemory(t *testing.T) {
	n := 40_000 / scale
	if testrun.All() {
		n = 1_000_000
	}
	const top = 5
	sessions := shortSessions(t, 64)
	r, w := io.Pipe()
	var before, end uint64
	go shortConnections(w, sessions, n, func(i int) {
		switch i {
		case 3 * n / 4:
			before = liveHeap()
		case n:
			end = liveHeap()
		}
	})
	o := liveOptions("-")
	o.Stdin = r
	var opened, ended, payload, longest int64
	_, left, err := engine.Live(t.Context(), o, engine.LiveOptions{Interval: time.Second, Top: top, Now: time.Now, Show: func(v *live.Interval) error {
		opened += v.Opened
		ended += v.Ended
		payload += v.Payload
		longest = max(longest, int64(len(v.Shown)))
		return nil
	}})
	assert.NilError(t, err)
	if opened != int64(n) || ended != int64(n) || left != int64(n) || payload != 1100*int64(n) || longest != top {
		t.Errorf("%d of %d connections began, %d ended, %d are in no report, %d bytes, %d shown at once", opened, n, ended, left, payload, longest)
	}
	// The table remembers 65,536 4-tuples of connections that have ended. Of a million, two
	// bytes for each connection would be noticed.
	if n >= 1_000_000 && end > before+1<<19 || scale == 1 && end > 32<<20 {
		t.Errorf("the heap has %d bytes after %d connections and %d after %d", before, 3*n/4, end, n)
	}
}
