package extract_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
)

const sessions = "../../testdata/sessions"

// choose writes a connection, or a subflow of it, into a file.
func choose(t *testing.T, path string, connection, subflow int) (c *extract.Choice, file string) {
	t.Helper()
	c = extract.Choose(subflow, extract.IDs{First: connection, Last: connection})
	return c, saved(t, c, path)
}

// saved writes a choice into a file.
func saved(t *testing.T, c *extract.Choice, path string) (file string) {
	t.Helper()
	text, _ := written(t, c, path)
	file = filepath.Join(t.TempDir(), "out.pcapng")
	assert.NilError(t, os.WriteFile(file, text, 0o600))
	return file
}

// tracked makes the choice.
func tracked(c *extract.Choice, path string) error {
	_, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{c}})
	return err
}

// written makes the choice and returns the file that it writes, and how often the capture was
// analysed for it.
func written(t *testing.T, c *extract.Choice, path string) (text []byte, analyses int) {
	t.Helper()
	track := func() error {
		analyses++
		return tracked(c, path)
	}
	assert.NilError(t, track())
	var out bytes.Buffer
	n, err := c.Write(context.Background(), &out, []string{path}, "a test", track)
	if err != nil || n != c.Packets() {
		t.Fatalf("%d packets written of %d: %v", n, c.Packets(), err)
	}
	return out.Bytes(), analyses
}

// TestLongCapture: if the capture has more packets than one analysis chooses from, it is analysed
// again for the next ones, and the file is the same.
func TestLongCapture(t *testing.T) {
	path := filepath.Join(sessions, "v1/k-short-bursts/client.pcap.zst")
	const connection = 30
	want, _ := written(t, extract.Choose(extract.AllSubflows, extract.IDs{First: connection, Last: connection}), path)
	for _, window := range []uint64{64, 100, 1000} {
		c := extract.Choose(extract.AllSubflows, extract.IDs{First: connection, Last: connection})
		c.Look(window)
		got, analyses := written(t, c, path)
		assert.Check(t, bytes.Equal(got, want), "%d packets at once: %d bytes that are not the %d of one analysis", window, len(got), len(want))
		if analyses < 2 || c.Words() > int(window+63)/64 {
			t.Errorf("%d packets at once: %d analyses, %d words of bits", window, analyses, c.Words())
		}
	}
}

// TestSubflow: the packets of the subflows are together those of the connection.
func TestSubflow(t *testing.T) {
	path := filepath.Join(sessions, "v1/f-handover/client.pcap.zst")
	whole, _ := choose(t, path, 0, extract.AllSubflows)
	sum := 0
	for sub := range 2 {
		part, _ := choose(t, path, 0, sub)
		assert.Check(t, part.Packets() != 0, "subflow %d has no packets", sub)
		sum += part.Packets()
	}
	if sum != whole.Packets() {
		t.Errorf("%d packets in the subflows, %d in the connection", sum, whole.Packets())
	}
}

func TestNoSuchConnection(t *testing.T) {
	c := extract.Choose(extract.AllSubflows, extract.IDs{First: 7, Last: 7})
	if text, _ := written(t, c, filepath.Join(sessions, "v1/f-handover/client.pcap.zst")); len(text) > 0 || c.Packets() > 0 {
		t.Errorf("%d packets in %d bytes", c.Packets(), len(text))
	}
}

// TestComments: the comments of packets stay, before ours.
func TestComments(t *testing.T) {
	path := filepath.Join(sessions, "v1/k-short-bursts/client.pcap.zst")
	_, first := choose(t, path, 1, extract.AllSubflows) // has a comment of ours on each packet
	before := commentsOf(t, first)
	_, second := choose(t, first, 0, extract.AllSubflows)
	after := commentsOf(t, second)
	assert.Assert(t, len(before) >= 50 && len(before) == len(after), "%d packets, extracted again %d", len(before), len(after))
	for i := range before {
		if len(before[i]) != 1 || len(after[i]) != 2 || after[i][0] != before[i][0] || !strings.HasPrefix(after[i][1], fmt.Sprintf("packet %d", i+1)) {
			t.Fatalf("packet %d has the comments %q, extracted again %q", i+1, before[i], after[i])
		}
	}
}

// commentsOf returns the comments of each packet, as gopacket reads them.
func commentsOf(t *testing.T, path string) (list [][]string) {
	t.Helper()
	f, err := os.Open(path)
	assert.NilError(t, err)
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.NgReaderOptions{WantMixedLinkType: true})
	assert.NilError(t, err)
	for {
		_, _, options, err := r.ReadPacketDataWithOptions()
		if errors.Is(err, io.EOF) {
			return list
		}
		assert.NilError(t, err)
		list = append(list, options.Comments)
	}
}

// TestBefore1970: times of pcapng are unsigned, so a packet 1 ns before 1970 is refused, by its
// number in the original, and nothing is written.
func TestBefore1970(t *testing.T) {
	var out bytes.Buffer
	w := extract.NewWriter(&out, nil, extract.Section{})
	if err := w.Packet(&capture.Raw{Num: 7, Time: -1}, nil); err == nil || !strings.Contains(err.Error(), "packet 7 has a time before 1970") {
		t.Errorf("error %v", err)
	}
	if err := w.Flush(); err != nil || out.Len() != 0 {
		t.Errorf("%d bytes are written, error %v", out.Len(), err)
	}
}
