package annotate

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/packets"
)

// window is how many packets the comments may be ahead of the copy. A packet whose connection is
// found out later has its comment later than those behind it: it waits in the table of
// connections. Comments take some 250 bytes, so the window takes 16 MB.
const window = 1 << 16

// Copy copies every packet of captures, whole and in order, with its comments. The comments come
// from another reading of the same captures, which is at most a window ahead.
type Copy struct {
	source   *capture.Source
	out      *extract.Writer
	verdicts Verdicts
	raw      capture.Raw
	copied   uint64   // packets
	latest   uint64   // packet with a comment
	comments [][]byte // of the next packets, by their number modulo its length; empty for none
	late     int64    // comments that came when the packet had been copied
	ended    bool     // the captures have no more packets
	own      []string // comments of a packet; reused
}

// New returns a copy of the captures at paths to w. Close it.
func New(w io.Writer, paths []string, verdicts Verdicts) (*Copy, error) {
	source, err := capture.Open(paths, capture.Options{Comments: true})
	if err != nil {
		return nil, err
	}
	about := extract.Section{Application: "mpanalyze", Comment: "comments on packets by mpanalyze annotate", KeepNumbers: true}
	return &Copy{source: source, out: extract.NewWriter(w, source, about), verdicts: verdicts, comments: make([][]byte, window)}, nil
}

// Close closes the captures.
func (c *Copy) Close() error { return c.source.Close() }

// Late returns how many packets have no comment because it came too late.
func (c *Copy) Late() int64 { return c.late }

// Comment takes the comment on a packet ([packets.NewComments]), and copies the packets that are
// a window behind it.
func (c *Copy) Comment(num uint64, text []byte) error {
	if num <= c.copied {
		c.late++
		return nil
	}
	for num > c.copied+window && !c.ended {
		if err := c.next(); err != nil {
			return err
		}
	}
	c.latest = max(c.latest, num)
	own := &c.comments[num%window]
	*own = append((*own)[:0], text...)
	return nil
}

// Finish copies all packets that are left. If ctx ends, it copies no more, and the error says so.
func (c *Copy) Finish(ctx context.Context) error {
	for !c.ended {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, c.out.Flush())
		}
		if err := c.next(); err != nil {
			return err
		}
	}
	return c.out.Flush()
}

// Stop ends the copy with the latest packet that has a comment.
func (c *Copy) Stop() error {
	for !c.ended && c.copied < c.latest {
		if err := c.next(); err != nil {
			return err
		}
	}
	return c.out.Flush()
}

// next copies one packet.
func (c *Copy) next() error {
	if err := c.source.Next(&c.raw); err != nil {
		if c.ended = errors.Is(err, io.EOF); c.ended {
			return nil
		}
		return err
	}
	c.copied = c.raw.Num
	// A comment of this kind is of an earlier copy.
	c.own = slices.DeleteFunc(append(c.own[:0], c.raw.Comments...), func(s string) bool { return strings.HasPrefix(s, packets.Prefix+":") })
	text := c.verdicts.append(c.comments[c.copied%window], c.copied)
	if len(text) > 0 {
		c.own = append(c.own, string(text))
	}
	c.comments[c.copied%window] = text[:0]
	return c.out.Packet(&c.raw, c.own)
}
