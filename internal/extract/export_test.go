package extract

import (
	"errors"
	"io"

	"mpanalyze/internal/capture"
)

// Look sets how many packets one analysis chooses from.
func (c *Choice) Look(packets uint64) { c.window = packets }

// Words returns how many words of bits the choice takes.
func (c *Choice) Words() int { return len(c.chosen) }

// Write writes one packet to w.
func Write(w io.Writer, raw capture.Raw) error {
	c := &Copy{out: w, raw: raw}
	return errors.Join(c.write(nil), c.flush())
}
