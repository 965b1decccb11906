package hosts

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/bits"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

// readSS returns the rows in a text, and what the reader says of the file.
func readSS(text string) (rows []Row, f *File) {
	f = &File{Kind: SS, First: NoStamp, Last: NoStamp}
	s := newSSReader(f, func(r *Row) { rows = append(rows, *r) })
	l := newLines(text)
	for l.next() {
		s.line(l)
	}
	s.flush()
	return rows, f
}

func newLines(text string) *lines { return &lines{r: bufio.NewReader(strings.NewReader(text))} }

const (
	tcpHead    = "ESTAB 0      4900   10.2.100.2:5001 10.2.1.1:39146 timer:(on,060ms,2) ino:272254 sk:129c cgroup:unreachable:1 <->"
	tcpDetails = " skmem:(r0,rb131072,t0,tb46080,f3612,w7396,o0,bl0,d5) ts sack cubic wscale:10,10 rto:228 rtt:27.463/2.216 ato:40 mss:1448 pmtu:1500" +
		" rcvmss:536 advmss:1448 cwnd:18 ssthresh:9 bytes_sent:252000 bytes_acked:247101 bytes_received:512 segs_out:180 segs_in:90 data_segs_out:179 send 7191805bps" +
		" lastsnd:36 pacing_rate 14383416bps delivery_rate 2995256bps delivered:28 app_limited busy:100ms rwnd_limited:24ms(0.3%) unacked:4 retrans:1/12 lost:2 notsent:1500" +
		" rcv_space:14480 rcv_ssthresh:64088 minrtt:20.553 snd_wnd:65536 tcp-ulp-mptcp flags:Mec token:0000(id:7)/96b4deb(id:3) seq:324092078f60f041 sfseq:1 ssnoff:c49ece4f maplen:200"
	mptcpHead    = "ESTAB  44      0      10.2.100.2:5001 10.2.1.1:39146 ino:272254 sk:3 cgroup:unreachable:1 <->"
	mptcpDetails = " skmem:(r0,rb131072,t0,tb50176,f1528,w12040,o0,bl0,d0) subflows:1 subflows_max:4 remote_key token:96b4deb"
)

// A row has its values in every form in which ss prints it.
func TestRowForms(t *testing.T) {
	two := tcpHead + "\n\t" + tcpDetails[1:] + "\n"
	for _, c := range []struct{ name, text string }{
		{"two lines", two},
		{"one line", tcpHead + tcpDetails + "\n"},
		{"CRLF and blanks at the end", tcpHead + "  \r\n\t" + tcpDetails[1:] + "      \r\n"},
		{"a header before", "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n" + two},
		{"Netid", "Netid State Recv-Q Send-Q Local Address:Port Peer Address:Port\ntcp   " + two},
		{"an interface", strings.Replace(two, "10.2.100.2:", "10.2.100.2%p2:", 1)},
		{"IPv4 mapped", strings.NewReplacer("10.2.100.2:", "[::ffff:10.2.100.2]:", "10.2.1.1:", "[::ffff:10.2.1.1]:").Replace(two)},
		{"text around", "some words\n--\n" + two + "--\nmore words: here\n"},
		{"tabs lost and wrapped", tcpHead + "\n" + strings.ReplaceAll(tcpDetails[1:], " bytes_sent", "\nbytes_sent") + "\n"},
		{"unknown fields", tcpHead + tcpDetails + " newfield:abc other:(x,y)\n"},
	} {
		rows, f := readSS(c.text)
		if len(rows) != 1 || f.CutRows != 0 {
			t.Errorf("%s: %d rows, %d of them cut", c.name, len(rows), f.CutRows)
			continue
		}
		r := rows[0]
		if want := [2]netip.AddrPort{netip.MustParseAddrPort("10.2.100.2:5001"), netip.MustParseAddrPort("10.2.1.1:39146")}; want != [2]netip.AddrPort{r.Local, r.Peer} {
			t.Errorf("%s: ends %v and %v", c.name, r.Local, r.Peer)
		}
		if r.MPTCP || !r.ULP || r.State != "ESTAB" || r.Value(SendQ) != 4900 || r.Inode != 272254 || r.Control != "cubic" || r.Has(Fallback) || !r.Info() {
			t.Errorf("%s: %+v", c.name, r)
		}
		if r.LocalToken != 0x96b4deb || r.LocalID != 3 || r.RemoteID != 7 {
			t.Errorf("%s: token %x, ids %d %d", c.name, r.LocalToken, r.LocalID, r.RemoteID)
		}
		want := map[string]float64{
			"app_limited": 1, "write_seq": 1, "Recv-Q": 0, "Send-Q": 4900,
			"rb": 131072, "tb": 46080, "w": 7396,
			"rto": 228, "rtt": 27.463, "rttvar": 2.216, "mss": 1448, "cwnd": 18, "ssthresh": 9, "bytes_sent": 252000, "bytes_acked": 247101,
			"bytes_received": 512, "data_segs_out": 179, "pacing_rate": 14383416, "delivery_rate": 2995256,
			"busy": 100, "rwnd_limited": 24, "unacked": 4, "retrans": 1, "retrans_total": 12, "lost": 2, "notsent": 1500, "rcv_space": 14480,
			"rcv_ssthresh": 64088, "minrtt": 20.553, "snd_wnd": 65536,
		}
		for name, v := range want {
			assert.Check(t, r.Value(FieldOf(name)) == v, "%s: %s is %v, want %v", c.name, name, r.Value(FieldOf(name)), v)
		}
		assert.Check(t, bits.OnesCount64(r.has&^(1<<unread)) == len(want), c.name)
	}
}

// Numbers of data sequences are read in the base of the file. Digits of both bases are hexadecimal until a number
// proves the other one: 0x1234 - 0x1224 is 16.
func TestDSNBase(t *testing.T) {
	const decimal = " write_seq:6921683188860439829 snd_una:6921683188860407141"
	for _, c := range []struct {
		numbers, before string
		unacked         float64
	}{
		{" write_seq:54e6f248e33a43c snd_una:54e6f248e33755c", "", 0x43c - 0x55c + 0x3000},
		{decimal, "", 32688},
		{" write_seq:1234 snd_una:1224", "", 16},
		{" write_seq:1234 snd_una:1224", mptcpHead + mptcpDetails + decimal + "\n", 10},
	} {
		rows, _ := readSS(c.before + mptcpHead + mptcpDetails + c.numbers + "\n")
		r := rows[len(rows)-1]
		assert.Check(t, r.MPTCP && r.Info() && r.Value(Unacked) == c.unacked && r.Value(RecvQ) == 44 && r.LocalToken == 0x96b4deb, "%s: %+v, want %v bytes", c.numbers, r, c.unacked)
	}
	rows, _ := readSS(mptcpHead + mptcpDetails + "\n")
	assert.Check(t, !rows[0].Has(Unacked), "no numbers: %v", rows[0].Value(Unacked))
	assert.Check(t, Unacked == unread-1, "fields.txt has %d fields", Unacked+1)
}

// Each stamp begins a sample; without stamps there is one. Stamps alone are no samples.
func TestSamples(t *testing.T) {
	row := tcpHead + tcpDetails + "\n"
	for _, c := range []struct {
		name, text  string
		samples     int64
		first, last int64
	}{
		{"none", row + row, 1, NoStamp, NoStamp},
		{"epoch", "1795626705.445147843\n" + row + "1795626705.645\n1795626705.845\n" + row, 2, 1795626705445147843, 1795626705845e6},
		{"whole seconds", "1795626705\n" + row + "1795626705\n" + row, 2, 1795626705e9, 1795626705e9},
		{"busybox", "1795626705.%N\n" + row, 1, 1795626705e9, 1795626705e9},
		{"RFC 3339", "2026-11-25 17:11:45.500000000+01:00\n" + row, 1, 1795623105500e6, 1795623105500e6},
		{"date -Ins", "2026-11-25T17:11:45,500000000+00:00\n" + row, 1, 1795626705500e6, 1795626705500e6},
		{"date", "Wed Nov 25 17:11:45 UTC 2026\n" + row + "Wed Nov 25 05:11:46 PM UTC 2026\n" + row, 2, 1795626705e9, 1795626706e9},
		{"comment", "# t=12.25\n" + row, 1, 12250e6, 12250e6},
		{"before each line", "1795626705.100 " + tcpHead + "\n1795626705.101 \t" + tcpDetails[1:] + "\n1795626705.102 " + row + "1795626705.300 " + row, 2, 1795626705100e6, 1795626705300e6},
	} {
		rows, f := readSS(c.text)
		if f.Samples != c.samples || f.First != c.first || f.Last != c.last {
			t.Errorf("%s: %d samples from %d to %d, want %d from %d to %d", c.name, f.Samples, f.First, f.Last, c.samples, c.first, c.last)
		}
		for _, r := range rows {
			assert.Check(t, r.Has(Cwnd), "%s: a row without details", c.name)
		}
	}
}

// A row that ends too early is not used; its place is known, and the rows around it are used.
func TestCutRows(t *testing.T) {
	row := tcpHead + tcpDetails + "\n"
	for _, c := range []struct {
		name, text string
		rows, line int
	}{
		{"in the details", row + tcpHead + " skmem:(r0,rb131072,t0,tb4608", 1, 2},
		{"in the ends", row + "ESTAB 0 4900 10.2.100.2:5001 10.", 1, 2},
		{"another writer in it", row + tcpHead + " cwnd:18ESTAB bytes_sent:25\n" + row, 2, 2},
		{"in the head, and going on", row + "ESTAB 0 4900 10.2.100.2:5001\n" + row, 2, 2},
		{"whole", row + row, 2, 0},
	} {
		rows, f := readSS(c.text)
		if len(rows) != c.rows || f.Cut != c.line || (f.CutRows > 0) != (c.line > 0) {
			t.Errorf("%s: %d rows, cut in line %d (%d rows), want %d rows and line %d", c.name, len(rows), f.Cut, f.CutRows, c.rows, c.line)
		}
	}
}

// A line of 1 MB is read up to its bound, and the rows behind it are there.
func TestLongLine(t *testing.T) {
	rows, _ := readSS("x " + strings.Repeat("y", 3*maxLine) + "\n" + tcpHead + tcpDetails + "\n")
	assert.Check(t, len(rows) == 1 && rows[0].Value(Cwnd) == 18, "%d rows", len(rows))
}

// Reading a row allocates nothing once its ends are known.
func TestRowAllocates(t *testing.T) {
	n := 0
	s := newSSReader(&File{First: NoStamp}, func(*Row) { n++ })
	head, details := []byte(tcpHead), []byte(tcpDetails)
	read := func() {
		s.line(&lines{n: 1, text: head})
		s.line(&lines{n: 2, text: details})
	}
	read()
	if per := testing.AllocsPerRun(100, read); per > 0 {
		t.Errorf("%v allocations per row", per)
	}
	assert.Check(t, n != 0, "no row")
}

func FuzzSS(f *testing.F) {
	f.Add("1795626705.445147843\n" + tcpHead + "\n" + tcpDetails + "\n" + mptcpHead + mptcpDetails + " write_seq:12 snd_una:a\n")
	f.Add("Netid State\ntcp   LISTEN 0 4096 0.0.0.0:5001 *:*\nmptcp SYN-SENT 0 1 [fd00::1]:5001 [fe80::1]%p2:22\n--\n")
	f.Add("Wed Nov 25 17:11:45 UTC 2026\n# t=1.5\n2026-11-25 17:11:45.5+01:00\nESTAB 0 0 1.2.3.4:5 6.7.8.9:10 pacing_rate 1.5Gbps/2Mbps busy:1ms(2%)")
	f.Fuzz(func(t *testing.T, text string) {
		rows, file := readSS(text)
		assert.Check(t, int64(len(rows)) == file.Rows && file.Samples <= file.Rows, "%d rows, counted %d, in %d samples", len(rows), file.Rows, file.Samples)
		for _, r := range rows {
			for field := range Field(numFields) {
				if v := r.Value(field); math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					t.Errorf("field %d is %v", field, v)
				}
			}
			if r.Line < 1 || r.State == "" {
				t.Error(fmt.Sprint(r))
			}
		}
	})
}

// TestCutFile: a compressed file that was cut is used as far as it can be read, and says that it
// was cut.
func TestCutFile(t *testing.T) {
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "ESTAB 0 0 10.2.100.2:5001 10.2.1.1:%d\n\t cubic bytes_sent:%d segs_out:%d\n", 1000+i, i*7919, i*104729)
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte(text.String())); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, w.Close())
	name := filepath.Join(t.TempDir(), "ss.txt.gz")
	assert.NilError(t, os.WriteFile(name, packed.Bytes()[:packed.Len()/2], 0o600))
	f, n := &File{Path: name}, 0
	assert.NilError(t, eachLine(f, partReader{func(*lines) { n++ }, func() {}}))
	assert.Check(t, n != 0 && n < 800 && f.Cut != 0 && f.CutRows == 1, "%d lines, cut at line %d, %d cut rows", n, f.Cut, f.CutRows)
}
