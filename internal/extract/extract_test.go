package extract_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
)

const sessions = "../../testdata/sessions"

// some copies connections, or a subflow of one, and returns the capture. The comments of the copy
// have the numbers that its packets have in the whole.
func some(t *testing.T, path string, subflow int, connections ...extract.IDs) []byte {
	t.Helper()
	c := extract.Choose(subflow, connections...)
	assert.NilError(t, tracked(c, path))
	var out bytes.Buffer
	copyWith(t, &out, extract.What{Choice: c, Comments: true}, path)
	return out.Bytes()
}

// tracked analyses a capture with a module.
func tracked(m conn.Module, paths ...string) error {
	_, err := engine.Track(context.Background(), engine.Options{Paths: paths, Modules: []conn.Module{m}})
	return err
}

// packetsOf returns how many packets a capture has.
func packetsOf(t *testing.T, text []byte) int {
	t.Helper()
	if len(text) == 0 {
		return 0
	}
	return len(read(t, capture.Options{Stdin: bytes.NewReader(text)}, "-"))
}

// TestSubflow: the packets of the subflows are together those of the connection.
func TestSubflow(t *testing.T) {
	path := filepath.Join(sessions, "v1/f-handover/client.pcap.zst")
	first := extract.IDs{}
	sum := 0
	for sub := range 2 {
		n := packetsOf(t, some(t, path, sub, first))
		assert.Check(t, n != 0, "subflow %d has no packets", sub)
		sum += n
	}
	if whole := packetsOf(t, some(t, path, extract.AllSubflows, first)); sum != whole {
		t.Errorf("%d packets in the subflows, %d in the connection", sum, whole)
	}
}

func TestNoSuchConnection(t *testing.T) {
	text := some(t, filepath.Join(sessions, "v1/f-handover/client.pcap.zst"), extract.AllSubflows, extract.IDs{First: 7, Last: 7})
	assert.Check(t, len(text) == 0, "%d bytes", len(text))
}

// TestCommentsStay: without comments of its own, a copy keeps those of the packets.
func TestCommentsStay(t *testing.T) {
	path := filepath.Join(sessions, "v1/k-short-bursts/client.pcap.zst")
	file := filepath.Join(t.TempDir(), "part.pcapng")
	assert.NilError(t, os.WriteFile(file, some(t, path, extract.AllSubflows, extract.IDs{First: 1, Last: 1}), 0o600))
	before := commentsOf(t, file)
	c := extract.Choose(extract.AllSubflows, extract.IDs{})
	assert.NilError(t, tracked(c, file))
	var out bytes.Buffer
	copyWith(t, &out, extract.What{Choice: c}, file)
	assert.NilError(t, os.WriteFile(file, out.Bytes(), 0o600))
	assert.Assert(t, len(before) >= 50, "%d packets", len(before))
	assert.DeepEqual(t, commentsOf(t, file), before)
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
	err := extract.Write(&out, capture.Raw{Num: 7, Time: -1})
	assert.ErrorContains(t, err, "packet 7 has a time before 1970")
	assert.Equal(t, out.Len(), 0)
}
