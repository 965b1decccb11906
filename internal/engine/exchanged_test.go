package engine_test

import (
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// warningOf returns the message of a warning; empty for none.
func warningOf(doc *report.Document, code string) string {
	i := slices.IndexFunc(doc.Warnings, func(w report.Warning) bool { return w.Code == code })
	if i < 0 {
		return ""
	}
	return doc.Warnings[i].Message
}

// TestExchanged: A sends 200 kB over two paths, and B 1 kB. A's address is the lower one on
// one path and the higher one on the other. The capture at A is the sender's. If the
// captures are named in the wrong order, a warning says so, whether or not they have the
// handshakes. If the program has to find the hosts itself, it finds them and gives no
// warning. If both send the same amount, neither is the sender.
func TestExchanged(t *testing.T) {
	const ms = time.Millisecond
	play := func(back int64) *tracegen.Network {
		net := tracegen.NewNetwork(time.Time{})
		s := net.Session(tracegen.Config{Version: 1, AckEvery: 1})
		for i, addr := range []string{"10.0.0.1:1000", "203.0.113.9:2000"} {
			path := onPath(uint8(i))
			path.A, path.B = netip.MustParseAddrPort(addr), netip.MustParseAddrPort("198.51.100.1:443")
			path.Delay = [2]time.Duration{20 * ms, 20 * ms}
			sub := s.Subflow(path)
			sub.Open(time.Duration(i) * 100 * ms)
			for k := range int64(100) {
				sub.Data(tracegen.A2B, 300*ms+time.Duration(k)*2*ms+time.Duration(i)*ms, 1000*(2*k+int64(i)), 1000)
			}
			if i == 0 {
				for k := range back {
					sub.Data(tracegen.B2A, 350*ms+time.Duration(k)*2*ms, 1000*k, 1000)
				}
			}
		}
		return net
	}
	for _, c := range []struct {
		name string
		back int64
		late bool // the captures begin after the handshakes
		want bool // a warning if they are exchanged
	}{
		{"from the handshakes", 1, false, true},
		{"without the handshakes", 1, true, true},
		{"both send much", 120, false, false},
	} {
		net := play(c.back)
		keep := func(p *tracegen.Packet) bool {
			return !c.late || p.Time > tracegen.Start.UnixNano()+int64(290*ms)
		}
		a := writeView(t, "a.pcap", net.Packets(tracegen.HostA), tracegen.Format{Nanosecond: true}, keep)
		b := writeView(t, "b.pcap", net.Packets(tracegen.HostB), tracegen.Format{Nanosecond: true}, keep)
		analyze := func(sender, receiver string, swap bool) *report.Document {
			o := wholly(sender)
			o.Receiver, o.Swap = []string{receiver}, swap
			return analyzed(t, o)
		}
		if text := warningOf(analyze(a, b, false), report.WarnExchanged); text != "" {
			t.Errorf("%s: rightly named, and yet %q", c.name, text)
		}
		text := warningOf(analyze(b, a, false), report.WarnExchanged)
		if (text != "") != c.want || c.want && (!strings.Contains(text, "b.pcap is named as the sender's") || !strings.Contains(text, "exchange --sender and --receiver")) {
			t.Errorf("%s: exchanged, and the warning is %q", c.name, text)
		}
		for _, files := range [][2]string{{a, b}, {b, a}} {
			doc := analyze(files[0], files[1], true)
			if got := doc.Captures[0].File; got != a || warningOf(doc, report.WarnExchanged) != "" {
				t.Errorf("%s: %s is taken for the sender's, want a.pcap, without a warning: %q", c.name, filepath.Base(got), warningOf(doc, report.WarnExchanged))
			}
		}
	}
}

// TestExchangedSessions: downloads of real kernels; the server is the sender.
func TestExchangedSessions(t *testing.T) {
	for _, name := range []string{"v1/l-single-loss", "campaign/lia/run1", "v1/p-nat"} {
		server, client := session(name+"/server.pcap.zst"), session(name+"/client.pcap.zst")
		for _, files := range [][2]string{{server, client}, {client, server}} {
			if text := warningOf(reportOn(t, files[0], files[1]), report.WarnExchanged); (text != "") != (files[0] == client) {
				t.Errorf("%s is named as the sender's: %q", files[0], text)
			}
		}
	}
}
