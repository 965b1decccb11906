package engine_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/engine"
)

// TestTwoHostsAsOneView: captures of both hosts are not accepted as one host's, whenever
// they begin, whatever their clocks show, and even if a translator changes addresses. Files
// of one host's interfaces are accepted.
func TestTwoHostsAsOneView(t *testing.T) {
	at := func(name, file string) string { return session("v1/" + name + "/" + file) }
	client, server := framesOf(t, at("b-lte-cubic", "client.pcap.zst")), framesOf(t, at("b-lte-cubic", "server.pcap.zst"))
	two := map[string][2]string{
		"plain":              {at("b-lte-cubic", "client.pcap.zst"), at("b-lte-cubic", "server.pcap.zst")},
		"translated":         {at("p-nat", "server.pcap.zst"), at("p-nat", "client.pcap.zst")},
		"another clock":      {at("p-skew", "client.pcap.zst"), at("p-skew", "server.pcap.zst")},
		"an interface of it": {at("p-perif", "client.p2.pcap.zst"), at("p-perif", "server.pcap.zst")},
		"begins late":        {client.window(0, 1).saved(t), server.window(0.6, 1).saved(t)},
	}
	for name, files := range two {
		_, err := engine.Analyze(context.Background(), engine.Options{Paths: files[:], Connection: engine.AllConnections})
		var found *engine.TwoHostsError
		if !errors.As(err, &found) || found.Files != files || found.RTT < 10*time.Millisecond || engine.Damaged(err) {
			t.Errorf("%s: %v, want an error that names both", name, err)
		}
		// Every command opens captures in the same way.
		if _, err := engine.Track(context.Background(), engine.Options{Paths: files[:]}); !errors.As(err, &found) {
			t.Errorf("%s: Track: %v", name, err)
		}
	}
	for name, files := range map[string][]string{
		"an interface each":    {at("p-perif", "client.p1.pcap.zst"), at("p-perif", "client.p2.pcap.zst")},
		"rotated":              {client.window(0, 0.5).saved(t), client.window(0.5, 1).saved(t)},
		"rotated, overlapping": {client.window(0, 0.6).saved(t), client.window(0.4, 1).saved(t)},
		"another session":      {at("b-lte-cubic", "client.pcap.zst"), at("p-nat", "server.pcap.zst")},
	} {
		if _, err := engine.Track(context.Background(), engine.Options{Paths: files}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{at("p-nat", "client.pcap.zst"), "missing.pcap"}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestForwardedIsOneView: a host that forwards packets has each at two interfaces. Some
// wait in its queue between; the first ones do not.
func TestForwardedIsOneView(t *testing.T) {
	in := framesOf(t, session("v1/b-lte-cubic/client.pcap.zst"))
	out := in.moved(func(i int) int64 {
		if i%50 == 0 {
			return 20e3
		}
		return 20e6
	})
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{in.saved(t), out.saved(t)}}); err != nil {
		t.Error(err)
	}
}

// TestNoPair: one capture is no pair, also with a copy whose clock is shifted; captures of
// different sessions are none either. Captures of two hosts on one machine are a pair.
func TestNoPair(t *testing.T) {
	f := framesOf(t, session("v1/b-lte-cubic/client.pcap.zst"))
	file, shifted := f.saved(t), f.moved(func(int) int64 { return 123456e3 }).saved(t)
	whole := f.pcap()
	cut := save(t, filepath.Join(t.TempDir(), "cut.pcap"), whole[:len(whole)-3])
	link := filepath.Join(t.TempDir(), "link.pcap")
	assert.NilError(t, os.Symlink(file, link))
	other := session("v1/p-nat/server.pcap.zst")
	for name, c := range map[string]struct {
		files [2]string
		want  string
	}{
		"the same file": {[2]string{file, file}, "are the same capture"},
		"a link to it":  {[2]string{file, link}, "are the same capture"},
		"a copy":        {[2]string{file, f.saved(t)}, "are the same capture"},
		"shifted":       {[2]string{shifted, file}, "are the same capture"},
		"unrelated":     {[2]string{file, other}, "have no TCP connection in common"},
		"cut":           {[2]string{cut, other}, "have no TCP connection in common"},
	} {
		doc, err := engine.Analyze(context.Background(), engine.Options{Paths: c.files[:1], Receiver: c.files[1:], Swap: true, Connection: engine.AllConnections})
		if doc != nil || err == nil || engine.Damaged(err) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.files[0]) || !strings.Contains(err.Error(), c.files[1]) {
			t.Errorf("%s: %v, want an error that says %q and names both", name, err, c.want)
		}
	}
	o := wholly(session("v1/o-tso-veth/client.pcap.zst"))
	o.Receiver, o.Swap = []string{session("v1/o-tso-veth/server.pcap.zst")}, true
	analyzed(t, o)
}
