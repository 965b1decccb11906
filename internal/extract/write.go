package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mpanalyze/internal/capture"
)

// Write copies the chosen packets of the captures at paths into a pcapng file
// (draft-ietf-opsawg-pcapng). The captures must be the ones that were analysed for the choice.
// Packets are whole and in order, with interfaces, comments, and times in nanoseconds. It returns
// how many packets it wrote. If the captures have more packets than one analysis chooses from,
// Write calls analyse for another analysis. If ctx ends, or the analysis because the user stopped
// it, the file holds what was copied before, and the error says so.
func (c *Choice) Write(ctx context.Context, w io.Writer, paths []string, about string, analyse func() error) (n int, err error) {
	source, err := capture.Open(paths, capture.Options{Comments: true})
	if err != nil {
		return 0, err
	}
	defer source.Close()
	out := NewWriter(w, source, Section{Application: "mpanalyze", Comment: about})
	for {
		m, err := c.copy(ctx, out, source)
		n += m
		more := err == nil && c.next()
		if more {
			err = analyse()
		}
		switch {
		case errors.Is(err, context.Canceled):
			return n, errors.Join(err, out.Flush())
		case err != nil:
			return n, err
		case !more:
			return n, out.Flush()
		}
	}
}

// copy writes the chosen packets of the window.
func (c *Choice) copy(ctx context.Context, out *Writer, source *capture.Source) (n int, err error) {
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
		own := fmt.Sprintf("packet %d", raw.Num)
		if comment := c.comments[raw.Num]; comment != "" {
			own += ": " + comment
		}
		if err := out.Packet(&raw, append(slices.Clone(raw.Comments), own)); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
