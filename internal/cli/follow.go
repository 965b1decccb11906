package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
)

// followOptions is the command line of follow.
type followOptions struct {
	source
	sha256 bool
}

func newFollow(a *app) *cobra.Command {
	o := &followOptions{}
	c := command("follow", files, reading(a, a.follow, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	f.IntVar(&o.eo.Connection, "connection", 0, "`ID` of the connection in the report; default: the first, 0")
	choose(f, (*string)(&o.eo.Direction), "direction", "", "`direction` of the stream: a2b or b2a", "a2b", "b2a")
	f.BoolVar(&o.sha256, "sha256", false, "print the stream's SHA-256 in hexadecimal, two spaces and its length in bytes instead")
	return c
}

func (a *app) follow(c *cobra.Command, o *followOptions, eo engine.Options) error {
	err := mistakes(c, refuse(eo.Direction == "", "--direction is missing; want a2b or b2a"), checkConnection(eo.Connection, 0),
		refuse(!o.sha256 && a.OutTTY, "the stream may hold characters that control a terminal; redirect it to a file or a pipe"))
	if err != nil {
		return err
	}
	if !o.sha256 {
		out := bufio.NewWriterSize(a.Out, 1<<20)
		_, err := a.engine.Follow(c.Context(), eo, out)
		return errors.Join(err, out.Flush())
	}
	got, err := a.engine.Follow(c.Context(), eo, io.Discard)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(a.Out, "%x  %d\n", got.SHA256, got.Bytes)
	return err
}
