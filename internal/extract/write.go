package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mpanalyze/internal/capture"
)

// Write copies the chosen packets of the captures at paths, which must be those
// that the choice was made on, into a pcapng file (draft-ietf-opsawg-pcapng):
// whole, in order, with their times to the nanosecond and their comments, an
// interface for each that they were captured at. It returns how many it wrote. Captures with more
// packets than one analysis chooses from are analysed again, by analyse.
func (c *Choice) Write(ctx context.Context, w io.Writer, paths []string, about string, analyse func() error) (n int, err error) {
	source, err := capture.Open(paths, capture.Options{Comments: true})
	if err != nil {
		return 0, err
	}
	defer source.Close()
	out := &writer{out: w, about: about, interfaces: map[int]int{}}
	for {
		m, err := c.copy(ctx, out, source)
		if n += m; err != nil {
			return n, err
		}
		if !c.next() {
			break
		}
		if err := analyse(); err != nil {
			return n, err
		}
	}
	if out.file == nil {
		return n, nil
	}
	return n, out.file.Flush()
}

// copy writes what was chosen of the packets that are looked at.
func (c *Choice) copy(ctx context.Context, out *writer, source *capture.Source) (n int, err error) {
	var raw capture.Raw
	for n < c.here {
		err := source.Next(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil && raw.Num%1024 == 0 {
			err = ctx.Err()
		}
		if err != nil {
			return n, err
		}
		if !c.has(raw.Num) {
			continue
		}
		if err := out.packet(&raw, c.comments[raw.Num]); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// writer writes a pcapng file.
type writer struct {
	out        io.Writer
	about      string
	file       *pcapgo.NgWriter // nil before the first packet
	interfaces map[int]int      // of the source, to those of the file
}

func (w *writer) packet(raw *capture.Raw, comment string) error {
	iface, err := w.iface(raw)
	if err != nil {
		return err
	}
	var options pcapgo.NgPacketOptions
	own := fmt.Sprintf("packet %d", raw.Num)
	if comment != "" {
		own += ": " + comment
	}
	options.Comments = append(slices.Clone(raw.Comments), own)
	info := gopacket.CaptureInfo{
		Timestamp: time.Unix(0, raw.Time), CaptureLength: len(raw.Data), Length: raw.WireLen, InterfaceIndex: iface,
	}
	return w.file.WritePacketWithOptions(info, raw.Data, options)
}

// iface returns the file's interface for that of a packet.
func (w *writer) iface(raw *capture.Raw) (int, error) {
	i, ok := w.interfaces[raw.Iface]
	if ok {
		return i, nil
	}
	about := pcapgo.NgInterface{LinkType: layers.LinkType(raw.Link), TimestampResolution: 9}
	var err error
	if w.file == nil {
		options := pcapgo.NgWriterOptions{SectionInfo: pcapgo.NgSectionInfo{Application: "mpanalyze", Comment: w.about}}
		w.file, err = pcapgo.NewNgWriterInterface(w.out, about, options)
	} else {
		i, err = w.file.AddInterface(about)
	}
	if err != nil {
		return 0, err
	}
	w.interfaces[raw.Iface] = i
	return i, nil
}
