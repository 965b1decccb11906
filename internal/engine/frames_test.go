package engine_test

import (
	"cmp"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"mpanalyze/internal/capture"
)

// frame is a record of a capture.
type frame struct {
	time int64 // ns since the Unix epoch
	data []byte
	wire int // length on the wire, bytes
}

// readFrames returns the records of a capture in the order of time, and their link type.
func readFrames(t testing.TB, name string) (frames []frame, link capture.LinkType) {
	t.Helper()
	for _, raw := range framesOf(t, name).list {
		link = raw.Link
		frames = append(frames, frame{raw.Time, raw.Data, raw.WireLen})
	}
	sortFrames(frames)
	return frames, link
}

// sortFrames puts records in the order of time. Those of equal times stay in their order.
func sortFrames(frames []frame) {
	slices.SortStableFunc(frames, func(a, b frame) int { return cmp.Compare(a.time, b.time) })
}

// pcapOf returns a pcap file with stamps in ns.
func pcapOf(frames []frame, link capture.LinkType) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32(nil, 0xa1b23c4d)
	out = append(out, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	out = le.AppendUint32(out, 1<<18)
	out = le.AppendUint32(out, uint32(link))
	for _, f := range frames {
		out = le.AppendUint32(out, uint32(f.time/1e9))
		out = le.AppendUint32(out, uint32(f.time%1e9))
		out = le.AppendUint32(out, uint32(len(f.data)))
		out = le.AppendUint32(out, uint32(f.wire))
		out = append(out, f.data...)
	}
	return out
}

// bundled returns the captures of the bundled sessions.
func bundled(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(sessions + "/v*/*/*.pcap*.zst")
	if err != nil || len(found) < 30 {
		t.Fatalf("%d captures: %v", len(found), err)
	}
	return found
}
