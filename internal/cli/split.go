package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/split"
)

// splitOptions is the command line of split.
type splitOptions struct {
	reading
	parts int
	out   string
	hash  string
}

const splitHelp = `Split one huge capture into parts by connection, for as many machines or processors.

Every connection is in one part with all its subflows. split finds them like analyze,
by tokens, keys and data sequence numbers. Parts are pcapng files with whole packets,
their times, interfaces and comments. The packet id is the packet's number in the
original; all commands show that number. Packets of no connection are in rest.pcapng.
Several files count as one capture of one host.

mpanalyze merge reports on all parts together; the report is that of the whole
capture, byte for byte. Where that is impossible, for example if the clock was set,
split fails. The capture is read twice, so standard input cannot be used.
DIR takes about as much room as the capture without compression, and the
directory of temporary files 4 bytes for each packet. Parts for object storage
are made in that directory first.`

const splitExamples = `  mpanalyze split huge.pcap --parts 16 --out parts
  mpanalyze split dump.pcap.0 dump.pcap.1 dump.pcap.2 --parts 4 --out parts --filter 'port 443'`

func newSplit(a *app) *cobra.Command {
	o := &splitOptions{}
	c := &cobra.Command{
		Use:     "split FILE... --out DIR",
		Short:   "Split one huge capture into parts by connection",
		Long:    splitHelp,
		Example: splitExamples,
		Args:    files,
		RunE: func(c *cobra.Command, args []string) error {
			return a.split(c, o, args)
		},
	}
	o.reading.register(c)
	f := c.Flags()
	f.IntVar(&o.parts, "parts", 16, "`number` of parts, at most; connections are not cut")
	f.StringVar(&o.out, "out", "", "`DIR` for the parts, which holds no split yet")
	f.StringVar(&o.hash, "hash", "auto", "hash captures (SHA-256) for the report; `WHEN` is auto (captures of up to 16 MiB), always or never")
	complete(c, "hash", "auto", "always", "never")
	return c
}

// check refuses impossible values.
func (o *splitOptions) check(args []string) (err error) {
	if o.parts < 1 || o.parts > split.MaxParts {
		err = fmt.Errorf("--parts %d: want 1 to %d", o.parts, split.MaxParts)
	}
	if o.out == "" {
		err = errors.Join(err, errors.New("the directory to write is missing; name it with --out, as in --out parts"))
	}
	if slices.Contains(args, "-") {
		err = errors.Join(err, errors.New("split reads the capture twice, and standard input can be read only once; write it to a file first"))
	}
	return errors.Join(err, checkMemory(o.memory), oneOf("hash", o.hash, "auto", "always", "never"))
}

func (a *app) split(c *cobra.Command, o *splitOptions, args []string) error {
	if err := o.check(args); err != nil {
		return &usageError{c.CommandPath(), err}
	}
	if err := a.keepApart(c, args, outputs{dirs: []outputDir{{o.out, ".pcapng"}}}); err != nil {
		return err
	}
	if err := split.Free(o.out); err != nil {
		return err
	}
	rec, err := split.NewRecorder()
	if err != nil {
		return err
	}
	defer rec.Close()
	eo := engine.Options{
		Paths: args, Filter: o.filter, Decap: o.decap, Connection: engine.AllConnections, MaxState: int64(o.memory), Version: a.programVersion(),
		HashLimit: hashLimit(o.hash), Progress: new(engine.Progress),
	}
	done := a.showProgress(eo.Progress)
	index, damage := a.engine.Record(c.Context(), eo, rec)
	done()
	if index == nil {
		return damage
	}
	if err := rec.Write(c.Context(), o.out, args, o.parts, index); err != nil {
		return errors.Join(damage, err)
	}
	return errors.Join(damage, a.listParts(index))
}

// hashLimit returns the size of the largest file that is hashed, in bytes.
func hashLimit(when string) int64 {
	return map[string]int64{"auto": 16 << 20, "always": math.MaxInt64}[when]
}

// listParts says what was written.
func (a *app) listParts(x *split.Index) error {
	for i := range x.Parts {
		p := &x.Parts[i]
		if _, err := fmt.Fprintf(a.Out, "%s: %d packets, %d MPTCP and %d TCP connections\n", p.File, p.Packets, p.Multipath, p.Connections-p.Multipath); err != nil {
			return err
		}
	}
	if x.Rest.Packets == 0 {
		return nil
	}
	_, err := fmt.Fprintf(a.Out, "%s: %d packets of no connection\n", x.Rest.File, x.Rest.Packets)
	return err
}
