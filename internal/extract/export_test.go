package extract

import (
	"errors"
	"io"

	"mpanalyze/internal/capture"
)

// Write writes one packet to w.
func Write(w io.Writer, raw capture.Raw) error {
	c := &Copy{out: w, raw: raw}
	return errors.Join(c.write(nil), c.flush())
}
