package capture

import (
	"encoding/binary"
	"io"
	"math/rand/v2"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// raws returns the packets of a run.
func raws(r *Records) []Raw {
	all := make([]Raw, len(r.Frames))
	for i := range all {
		r.Raw(i, &all[i])
	}
	return all
}

// readRuns reads the source to its end, by runs where there are any, and returns
// how many packets came in them.
func readRuns(t *testing.T, s *Source, r *rand.Rand) (all []got, inRuns int) {
	t.Helper()
	for {
		run, raw := Records{Frames: make([]Frame, 0, 1+r.IntN(40))}, Raw{}
		found := s.Records(&run)
		near := raws(&run)
		if inRuns += len(near); !found {
			switch err := s.Next(&raw); err {
			case nil:
				near = append(near, raw)
			case io.EOF:
				return all, inRuns
			default:
				t.Fatal(err)
			}
		}
		for _, raw := range near {
			g := got{Raw: raw, Data: string(raw.Data)}
			g.Raw.Data = nil
			all = append(all, g)
		}
	}
}

// Reading in runs delivers the same packets as reading one by one. In a single classic file, a
// packet comes alone only if its record lies across the border between two reads of the file. In
// a pcapng file, and in two files until one of them ends, every packet comes alone.
func TestRun(t *testing.T) {
	var samples []sample
	for i := range 3000 {
		samples = append(samples, sample{sec: uint32(i + 1), frac: uint32(7 * i), wire: uint32(200 + i%3), data: payload(i, 200)})
	}
	file, _ := classic(binary.BigEndian, magicNano, 1, samples)
	cut := file[:len(file)-1]
	next := new(ng).section(binary.LittleEndian)
	next.iface(1, 0)
	for i := range 5 {
		next.enhanced(0, uint64(i), 60, payload(i, 60))
	}
	for _, c := range []struct {
		name  string
		files [][]byte
		least int // least number of packets that come in runs
		most  int
	}{
		{"one", [][]byte{file}, 2990, 3000},
		{"cut", [][]byte{cut}, 2990, 2999},
		{"one after the other", [][]byte{at(0), file}, 2990, 3000},
		{"at once", [][]byte{file, at(1, 3001)}, 0, 0},
		{"pcapng", [][]byte{next.file}, 0, 0},
	} {
		_, paths := openFiles(t, c.files...)
		var all [2][]got
		var sources [2]*Source
		var inRuns int
		for i := range all {
			s, err := Open(paths, Options{})
			assert.NilError(t, err)
			defer s.Close()
			if sources[i] = s; i == 0 {
				all[i] = readAll(t, s)
			} else {
				all[i], inRuns = readRuns(t, s, rand.New(rand.NewPCG(1, 2)))
			}
		}
		assert.Check(t, is.DeepEqual(all[1], all[0]), "%s (-one by one +runs)", c.name)
		assert.Check(t, is.DeepEqual(sources[1].Files(), sources[0].Files()), "%s, files (-one by one +runs)", c.name)
		assert.Check(t, is.DeepEqual(len(sources[1].Damage()), len(sources[0].Damage())), "%s, damage (-one by one +runs)", c.name)
		assert.Check(t, inRuns >= c.least && inRuns <= c.most, "%s: %d packets came in runs, want %d to %d", c.name, inRuns, c.least, c.most)
	}
}
