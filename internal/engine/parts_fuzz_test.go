package engine_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	parts "mpanalyze/internal/split"
	"mpanalyze/internal/tracegen"
)

// partsOptions returns options of split and merge that mode selects, and a number of parts.
func partsOptions(mode uint8) (o engine.Options, parts int) {
	o = engine.Options{
		Connection: engine.AllConnections, Decap: true, Interval: 100 * time.Millisecond,
		Detail: [...]report.Detail{report.WithData, report.Summary, report.NoTCP, report.WithData}[mode>>3&3],
	}
	if mode&4 != 0 {
		o.Interval = 0
	}
	if mode&32 != 0 {
		o.Skip, o.Regret = 20*time.Millisecond, true
		o.Player = metrics.Player{Bitrate: 1e6, Playout: metrics.DefaultPlayout}
	}
	if mode&64 != 0 {
		o.Filter = "host 10.0.0.1 or ip6"
	}
	return o.Alone(), 1 + int(mode&3)
}

// partsFuzzed splits a capture and compares the report on the parts with that on the whole,
// and the memory with the size of the capture.
func partsFuzzed(t *testing.T, file []byte, mode uint8) {
	o, parts := partsOptions(mode)
	before := allocated()
	sameInPartsWith(t, "the fuzzed capture", file, parts, o, mode&128 != 0)
	took := allocated() - before
	// The recorder takes 2 MiB, each file that is open some 64 KiB, and there are three
	// analyses.
	if took > 96<<20+12_000*uint64(len(file)) {
		t.Errorf("%d bytes were allocated for a file of %d", took, len(file))
	}
}

// FuzzParts splits arbitrary bytes as a capture into up to four parts. Either the report on
// them is that on the whole, or split refuses the capture.
func FuzzParts(f *testing.F) {
	fuzzing(f)
	for i, name := range realCaptures[:6] {
		f.Add(load(f, name, 20).file, uint8(i))
	}
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 8))
		var file bytes.Buffer
		n, view := storm(r, 3+int(seed), 1, time.Second), tracegen.View(seed%3)
		if seed%2 == 1 {
			n, view = tracegen.NewNetwork(tracegen.Start), tracegen.HostA
			playFragments(n, r)
		}
		if err := n.Write(&file, view, tracegen.Format{}); err != nil {
			f.Fatal(err)
		}
		m := split(f, "seed", file.Bytes()).first(60)
		f.Add(m.file, uint8(seed)<<2|1)
		f.Add(disturbed(r, m, 10), uint8(seed)<<3|2)
	}
	f.Fuzz(func(t *testing.T, file []byte, mode uint8) {
		if len(file) <= maxFuzzed {
			partsFuzzed(t, file, mode)
		}
	})
}

// A crowd is a script of packets between few ports with few keys, so that connections use the
// ports, tokens and time of others: crowdBytes bytes for each packet.
const (
	crowdBytes = 10
	maxCrowd   = 400
)

// crowd writes the capture of a script.
func crowd(t testing.TB, script []byte) []byte {
	var file bytes.Buffer
	w, err := tracegen.NewWriter(&file, tracegen.Format{Nanosecond: true})
	at := tracegen.Start.UnixNano()
	for n := 0; err == nil && len(script) >= crowdBytes && n < maxCrowd; n++ {
		b := script[:crowdBytes]
		script = script[crowdBytes:]
		at += int64(b[0])*int64(b[0])*int64(5*time.Millisecond) + 1 // up to 325 s
		p := crowdPacket(b, at, uint16(n))
		err = w.Write(&p)
	}
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// crowdPacket makes a packet from a few bytes. Numbers are near their wraps.
func crowdPacket(b []byte, at int64, id uint16) tracegen.Packet {
	const wrap = seq.Wire(0xffffff00)
	p := tracegen.Packet{
		Time: at, IPID: id, Window: 1000,
		Src:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1 + b[1]>>1&1}), 1000+uint16(b[1]&1)),
		Dst:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 1, 1 + b[1]>>3&1}), 80+uint16(b[1]>>2&1)),
		Flags: tracegen.Flags(b[2] & 0x17), // FIN, SYN, RST, ACK
		Seq:   wrap + seq.Wire(binary.BigEndian.Uint16(b[3:])), Ack: wrap + seq.Wire(b[4]),
	}
	if b[1]&16 != 0 {
		p.Src, p.Dst = p.Dst, p.Src
	}
	if b[1]&32 != 0 {
		p.Payload = make([]byte, int(b[5])*4)
	}
	if b[1]&64 != 0 {
		p.IPID = uint16(b[5]) // the packet may have been captured already
	}
	if o := crowdOption(b[6:]); o != nil {
		p.Options = o.Append(nil)
	}
	return p
}

// crowdOption makes an option of four bytes.
func crowdOption(b []byte) tracegen.Option {
	key := func(b byte) uint64 { return uint64(1 + b&3) }
	version, small := b[0]>>7, uint64(b[1])
	switch b[0] & 7 {
	case 0, 1:
		return &mptcp.DSS{
			Flags: mptcp.DSSFlags(b[2]) & 0x1f, DataAck: 1<<64 - 128 + small + uint64(b[3]),
			DSN: 1<<64 - 128 + small, SSN: uint32(b[3]), Length: uint16(b[2]>>5) * 100,
		}
	case 2, 3:
		have := [...]mptcp.CapableParts{0, mptcp.CapableHasSenderKey, mptcp.CapableHasSenderKey | mptcp.CapableHasReceiverKey}[b[1]%3]
		return &mptcp.Capable{Version: version, Have: have, SenderKey: key(b[2]), ReceiverKey: key(b[3])}
	case 4, 5:
		j := &mptcp.Join{Form: [...]mptcp.JoinForm{mptcp.JoinSYN, mptcp.JoinSYNACK, mptcp.JoinACK}[b[1]%3], Nonce: uint32(b[3])}
		j.Token = mptcp.Token(version, key(b[2]))
		return j
	case 6:
		return &mptcp.Fastclose{ReceiverKey: key(b[2])}
	}
	return nil
}

// crowdSeeds are scripts of handshakes, joins, data and ends in any order.
func crowdSeeds() (all [][]byte) {
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 9))
		var script []byte
		for range 8 + r.IntN(12) {
			ends, keys := byte(r.IntN(16)), byte(r.IntN(16))
			wait := func() byte { return byte(r.IntN([...]int{2, 2, 2, 10, 120}[r.IntN(5)])) }
			v := byte(r.IntN(2)) << 7
			switch r.IntN(4) {
			case 0, 1: // a connection of Multipath TCP
				script = append(script, wait(), ends, 2, 0, 0, 0, v|2, 1-v>>7, keys, 0)
				script = append(script, 1, ends|16, 18, 0, 1, 0, v|2, 1, keys>>2, 0)
				script = append(script, 1, ends, 16, 0, 1, 0, v|2, 2, keys, keys>>2)
			case 2: // a subflow
				script = append(script, wait(), ends, 2, 0, 0, 0, v|4, 0, keys, 7)
				script = append(script, 1, ends|16, 18, 0, 1, 0, v|4, 1, keys, 7)
				script = append(script, 1, ends, 16, 0, 1, 0, v|4, 2, keys, 7)
			default:
				script = append(script, wait(), ends, 2, 0, 0, 0, 7, 0, 0, 0)
			}
			script = append(script, wait(), ends|32, 16, 0, 1, 25, v, 129, 0x2d, 1)
			script = append(script, wait(), ends|16, 16, 0, 101, 0, v, 101, 3, 0)
			script = append(script, wait(), ends, [...]byte{17, 20, 16}[r.IntN(3)], 0, 101, 0, 7, 0, 0, 0)
		}
		all = append(all, script)
	}
	return all
}

// FuzzPartsCrowd splits captures whose connections affect each other.
func FuzzPartsCrowd(f *testing.F) {
	fuzzing(f)
	for i, script := range crowdSeeds() {
		f.Add(script, uint8(i)*11)
	}
	f.Fuzz(func(t *testing.T, script []byte, mode uint8) {
		partsFuzzed(t, crowd(t, script), mode)
	})
}

// storedSplit is a split that is kept in memory, and the report on the whole capture.
type storedSplit struct {
	files map[string][]byte
	want  []byte
	o     engine.Options
}

// splitOfCrowd splits a capture of a script in two, with the result of the second part.
func splitOfCrowd(f *testing.F, script []byte) storedSplit {
	f.Helper()
	file, dir := filepath.Join(f.TempDir(), "whole.pcap"), filepath.Join(f.TempDir(), "parts")
	s := storedSplit{files: map[string][]byte{}}
	s.o, _ = partsOptions(0)
	s.o.Paths = []string{file}
	rec, err := parts.NewRecorder()
	if err != nil {
		f.Fatal(err)
	}
	defer rec.Close()
	err = os.WriteFile(file, crowd(f, script), 0o600)
	x, met := engine.Record(f.Context(), s.o, rec)
	if err = errors.Join(err, met); err != nil {
		f.Fatal(err)
	}
	if err := errors.Join(rec.Write(f.Context(), dir, s.o.Paths, 2, x), engine.MergePart(f.Context(), dir, 2, s.o)); err != nil {
		f.Fatal(err)
	}
	names, err := os.ReadDir(dir)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range names {
		if s.files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			f.Fatal(err)
		}
	}
	whole, err := engine.AnalyzeStored(f.Context(), s.o)
	if err != nil {
		f.Fatal(err)
	}
	s.want = storedText(f, whole)
	return s
}

// FuzzSteps merges parts whose steps were changed. Either the report is that on the whole
// capture, or an error names a file of the split.
func FuzzSteps(f *testing.F) {
	fuzzing(f)
	s := splitOfCrowd(f, crowdSeeds()[3])
	const name = "part-001.steps"
	steps := s.files[name]
	f.Add(steps)
	f.Add(steps[:len(steps)-1])
	f.Add(append(bytes.Clone(steps[:len(steps)-1]), steps[len(steps)/2:]...))
	f.Fuzz(func(t *testing.T, changed []byte) {
		dir := t.TempDir()
		for file, text := range s.files {
			if file == name {
				text = changed
			}
			if err := os.WriteFile(filepath.Join(dir, file), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		merged, err := engine.Merge(context.Background(), dir, s.o)
		switch {
		case merged == nil && !strings.Contains(err.Error(), "part-001."):
			t.Error(err)
		case merged != nil && !bytes.Equal(storedText(t, merged), s.want):
			t.Errorf("the report is not that on the whole capture; %v", err)
		}
	})
}
