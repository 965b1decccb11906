package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/packets"
)

// window is how many packets the comments may be ahead of the copy. A packet whose connection is
// found out later has its comment later than those behind it: it waits in the table of
// connections. Comments take some 250 bytes, so the window takes 16 MB.
const window = 1 << 16

// Copy copies packets of captures, whole and in order. Comments come from another reading of the
// same captures, which is at most a window ahead.
type Copy struct {
	what     What
	source   *capture.Source
	out      io.Writer
	file     *pcapgo.NgWriter // nil before the first packet, so that a copy without packets stays empty
	numbers  map[int]int      // interfaces of the source and their numbers in the file, which has those of its packets; bounded by the source
	raw      capture.Raw
	copied   uint64   // packets that are behind the copy, with those that are left out
	comments [][]byte // of the next packets, by their number modulo its length; empty for none
	late     int64    // comments that came when the packet had been copied
	ended    bool     // nothing is left to copy
	own      []string // comments of a packet; reused
}

// What says what is copied.
type What struct {
	Choice   *Choice  // these packets; nil for all
	Comments bool     // packets get comments: comments of an earlier copy go
	Verdicts Verdicts // which the comments name
	About    string   // comment of the file
}

// New returns a copy of the captures at paths to w. The captures must be the ones that were
// analysed for the choice. Close it.
func New(w io.Writer, paths []string, what What) (*Copy, error) {
	source, err := capture.Open(paths, capture.Options{Comments: true})
	if err != nil {
		return nil, err
	}
	c := &Copy{what: what, source: source, out: w, numbers: map[int]int{}}
	if what.Comments {
		c.comments = make([][]byte, window)
	}
	return c, nil
}

// Close closes the captures.
func (c *Copy) Close() error { return c.source.Close() }

// Late returns how many packets have no comment because it came too late.
func (c *Copy) Late() int64 { return c.late }

// Comment takes the comment on a packet ([packets.NewComments]), and copies the packets that are
// a window behind it.
func (c *Copy) Comment(num uint64, text []byte) error {
	if num <= c.copied {
		if c.what.Choice == nil || c.what.Choice.holds(num) {
			c.late++
		}
		return nil
	}
	for num > c.copied+window && !c.ended {
		if err := c.next(); err != nil {
			return err
		}
	}
	own := &c.comments[num%window]
	*own = append((*own)[:0], text...)
	return nil
}

// Finish copies all packets that are left. If ctx ends, it copies no more, and the error says so.
func (c *Copy) Finish(ctx context.Context) error {
	for !c.ended {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, c.flush())
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return c.flush()
}

// next copies one packet, or leaves it out.
func (c *Copy) next() error {
	if c.what.Choice != nil && c.copied >= c.what.Choice.last {
		c.ended = true
		return nil
	}
	if err := c.source.Next(&c.raw); err != nil {
		if c.ended = errors.Is(err, io.EOF); c.ended {
			return nil
		}
		return err
	}
	c.copied = c.raw.Num
	text := c.comment()
	if c.what.Choice != nil && !c.what.Choice.holds(c.raw.Num) {
		return nil
	}
	own := c.raw.Comments
	if c.what.Comments {
		// A comment of this kind is of an earlier copy.
		c.own = slices.DeleteFunc(append(c.own[:0], own...), func(s string) bool { return strings.HasPrefix(s, packets.Prefix+":") })
		if len(text) > 0 {
			c.own = append(c.own, string(text))
		}
		own = c.own
	}
	return c.write(own)
}

// comment takes the comment on the packet. It is valid until the next comment comes.
func (c *Copy) comment() []byte {
	if !c.what.Comments {
		return nil
	}
	own := &c.comments[c.copied%window]
	text := c.what.Verdicts.append(*own, c.copied)
	*own = text[:0]
	return text
}

// write writes the latest packet with these comments. Times of pcapng are unsigned, so it refuses a time before 1970, which would wrap.
func (c *Copy) write(comments []string) error {
	if c.raw.Time < 0 {
		return fmt.Errorf("packet %d has a time before 1970, which a pcapng file cannot hold; shift the times of the capture, as editcap -t does", c.raw.Num)
	}
	if err := c.addInterface(); err != nil {
		return err
	}
	info := gopacket.CaptureInfo{
		Timestamp: time.Unix(0, c.raw.Time), CaptureLength: len(c.raw.Data), Length: c.raw.WireLen, InterfaceIndex: c.numbers[c.raw.Iface],
	}
	return c.file.WritePacketWithOptions(info, c.raw.Data, pcapgo.NgPacketOptions{Comments: comments})
}

// addInterface adds the interface of the latest packet to the file if it is new. In a copy of all packets, interfaces keep their
// numbers, so those below it come first.
func (c *Copy) addInterface() (err error) {
	if _, ok := c.numbers[c.raw.Iface]; ok {
		return nil
	}
	for c.what.Choice == nil && err == nil && len(c.numbers) < min(c.raw.Iface, c.source.Interfaces()) {
		err = c.add(len(c.numbers), &capture.Raw{Iface: len(c.numbers)})
	}
	if err != nil {
		return err
	}
	return c.add(c.raw.Iface, &c.raw)
}

// add adds an interface of the source to the file.
func (c *Copy) add(number int, raw *capture.Raw) (err error) {
	of := c.source.Interface(raw)
	about := pcapgo.NgInterface{
		Name: of.Name, Description: of.Description, SnapLength: of.SnapLen,
		LinkType: layers.LinkType(of.Link), TimestampResolution: 9,
	}
	c.numbers[number] = len(c.numbers)
	if c.file != nil {
		_, err = c.file.AddInterface(about)
		return err
	}
	section := pcapgo.NgSectionInfo{Application: "mpanalyze", Comment: c.what.About}
	c.file, err = pcapgo.NewNgWriterInterface(c.out, about, pcapgo.NgWriterOptions{SectionInfo: section})
	return err
}

// flush writes the rest of the buffer.
func (c *Copy) flush() error {
	if c.file == nil {
		return nil
	}
	return c.file.Flush()
}
