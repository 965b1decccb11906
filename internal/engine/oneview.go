package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/storage"
)

// These values help to distinguish captures of two hosts from files of one host, such
// as captures of its interfaces. A host that forwards a packet shows it twice, too, but
// without delay. Only packets without data are compared, because segmentation offload
// changes packets with data.
const (
	viewPackets  = 1 << 17                // packets that are read at the beginnings of all files together
	viewRTT      = 100 * time.Microsecond // round trip: less than that of any path, more than that within a host
	viewMatches  = 8                      // packets that must be in both files
	viewCertain  = 64                     // matching packets after which no more are read
	viewFraction = 0.5                    // least part of matching packets, in the file with fewer packets
	viewDisorder = time.Second            // by how much packets of several interfaces stand out of order: files that follow each other overlap by less
)

// A TwoHostsError says that two files that were given as files of one host show the
// same packets, with the delay of a path between them.
type TwoHostsError struct {
	Files [2]string
	RTT   time.Duration // least time from the place of one capture to the other's and back
}

func (e *TwoHostsError) Error() string {
	return fmt.Sprintf("%s and %s are captures of two hosts: both show the same packets, with a round trip of %v between the two places; one view takes files of one host",
		e.Files[0], e.Files[1], e.RTT.Round(10*time.Microsecond))
}

// checkOneView returns a [TwoHostsError] if two of the files are captures of two hosts.
// It reads the beginnings of the files in the order of time. It skips pipes, because
// they can be read only once.
func checkOneView(ctx context.Context, o Options) error {
	files := slices.DeleteFunc(slices.Clone(o.Paths), func(name string) bool {
		info, err := storage.Stat(name)
		return name == "-" || err != nil || !info.Mode().IsRegular()
	})
	if len(files) < 2 {
		return nil
	}
	v := views{files: files, bare: make([]int, len(files)), ran: make([][2]int64, len(files)), first: map[packetKey]seenPacket{}, pairs: map[[2]int]*viewPair{}}
	readers := make([]*beginning, len(files))
	for i, name := range files {
		r, err := openBeginning(ctx, o, []string{name}, viewPackets/len(files))
		if err != nil {
			return nil // opening all files will fail with the same error
		}
		defer r.close()
		readers[i] = r
	}
	b := newBatch(stride)
	for ctx.Err() == nil {
		i := earliest(readers)
		if i < 0 {
			return v.twoHosts(viewMatches)
		}
		_ = readers[i].read(b) // damage ends the file here; the analysis will report it
		for k := range b.n {
			v.add(i, &b.segs[k])
		}
		if err := v.twoHosts(viewCertain); err != nil {
			return err
		}
	}
	return nil
}

// earliest returns the file to read next, so that all files are read up to about the
// same time; -1 for none.
func earliest(readers []*beginning) int {
	best := -1
	for i, r := range readers {
		if r.left > 0 && (best < 0 || r.time < readers[best].time) {
			best = i
		}
	}
	return best
}

// views compares the packets of several files.
type views struct {
	files []string
	bare  []int                    // packets without data, by file
	ran   [][2]int64               // times of the first and the latest packet, by file, ns; 0 before the first one
	first map[packetKey]seenPacket // bounded by viewPackets
	pairs map[[2]int]*viewPair     // by the numbers of two files, the lesser first
}

// viewPair holds what two files have in common.
type viewPair struct {
	bare  int // packets without data
	flows map[flowKey]*viewFlow
}

// viewFlow holds, by direction, bounds of the time by which packets of one flow are
// later in the second file, ns.
type viewFlow struct {
	seen        [2]bool
	least, most [2]int64
}

// add takes the next packet of a file.
func (v *views) add(file int, s *packet.Segment) {
	if s.PayloadLen == 0 {
		v.bare[file]++
	}
	if ran := &v.ran[file]; ran[0] == 0 {
		*ran = [2]int64{s.Time, s.Time}
	} else {
		ran[1] = max(ran[1], s.Time)
	}
	k, here := keyOf(s, file)
	there, known := v.first[k]
	if !known {
		v.first[k] = here
		return
	}
	if there.file == file {
		return
	}
	if there.file > file {
		there, here = here, there
	}
	p := v.pairs[[2]int{there.file, here.file}]
	if p == nil {
		p = &viewPair{flows: map[flowKey]*viewFlow{}}
		v.pairs[[2]int{there.file, here.file}] = p
	}
	if s.PayloadLen == 0 {
		p.bare++
	}
	p.add(there, here.time-there.time)
}

// add notes by how much a packet is later in the second file, ns. The flow and the
// direction are those of the first file, because address translation may change them.
func (p *viewPair) add(first seenPacket, later int64) {
	f := p.flows[first.flow]
	if f == nil {
		f = &viewFlow{}
		p.flows[first.flow] = f
	}
	d := first.dir
	if !f.seen[d] {
		f.seen[d], f.least[d], f.most[d] = true, later, later
		return
	}
	f.least[d], f.most[d] = min(f.least[d], later), max(f.most[d], later)
}

// rtt returns the least time from the place of one file to the other's and back, ns. It
// is the least over all flows that were seen in both directions, so it does not depend
// on the clocks. It is 0 if there is no such flow.
func (p *viewPair) rtt() (least int64) {
	for _, f := range p.flows {
		if !f.seen[0] || !f.seen[1] {
			continue
		}
		rtt := max(f.least[0]-f.most[1], f.least[1]-f.most[0])
		if least == 0 || rtt < least {
			least = rtt
		}
	}
	return least
}

// together reports whether two files were captured at the same time. Files that follow each other
// in time are one rotated capture: what both have in common was sent again.
func (v *views) together(i, j int) bool {
	a, b := v.ran[i], v.ran[j]
	common, shorter := min(a[1], b[1])-max(a[0], b[0]), min(a[1]-a[0], b[1]-b[0])
	return common > 0 && (common >= int64(viewDisorder) || 2*common >= shorter)
}

// twoHosts returns an error if two files that were captured at the same time have at least matches
// packets in common and show the delay of a path between them.
func (v *views) twoHosts(matches int) error {
	for i := range v.files {
		for j := i + 1; j < len(v.files); j++ {
			p := v.pairs[[2]int{i, j}]
			if p == nil || p.bare < matches || !v.together(i, j) {
				continue
			}
			share := float64(p.bare) / float64(min(v.bare[i], v.bare[j]))
			if share < viewFraction {
				continue
			}
			if rtt := time.Duration(p.rtt()); rtt >= viewRTT {
				return &TwoHostsError{Files: [2]string{v.files[i], v.files[j]}, RTT: rtt}
			}
		}
	}
	return nil
}
