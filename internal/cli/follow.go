package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

// followOptions is the command line of follow.
type followOptions struct {
	source
	sha256 bool
}

const followHelp = `Write the application's byte stream of one direction of one connection to
standard output, reassembled from all its subflows. Without --connection that is
the first connection, 0.

If payload is missing, because it was not captured or the snapshot length cut it
off, the stream ends there. A message names the data sequence number, and the exit
status is 2.`

const followExamples = `  mpanalyze follow session.pcap --connection 0 --direction b2a > page.html
  mpanalyze follow session.pcap --connection 0 --direction b2a --sha256`

func newFollow(a *app) *cobra.Command {
	o := &followOptions{}
	c := &cobra.Command{
		Use:     "follow FILE... --direction a2b|b2a",
		Short:   "Write the application's byte stream",
		Long:    followHelp,
		Example: followExamples,
		Args:    files,
		RunE:    withOptions(a.follow, o),
	}
	o.source.register(c)
	f := c.Flags()
	f.IntVar(&o.eo.Connection, "connection", 0, "`ID` of the connection in the report; default: the first, 0")
	f.StringVar((*string)(&o.eo.Direction), "direction", "", "`direction` of the stream: a2b or b2a")
	f.BoolVar(&o.sha256, "sha256", false, "print the stream's SHA-256 in hexadecimal, two spaces and its length in bytes instead")
	complete(c, "direction", "a2b", "b2a")
	return c
}

func (a *app) follow(c *cobra.Command, o *followOptions, args []string) error {
	eo, err := o.source.options(a, c, args)
	if err != nil {
		return err
	}
	err = mistakes(c, oneOf("direction", string(eo.Direction), "a2b", "b2a"), checkConnection(eo.Connection, 0),
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
