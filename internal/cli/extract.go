package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/packets"
	"mpanalyze/internal/report"
)

// extractOptions is the command line of extract.
type extractOptions struct {
	source
	connections idRanges
	subflow     int
	comments    bool
	output      string
}

func newExtract(a *app) *cobra.Command {
	o := &extractOptions{}
	c := command("extract", files, reading(a, a.extract, o, &o.source))
	o.source.register(c)
	f := c.Flags()
	f.Var(&o.connections, "connection", "only the connections with these `IDS` in the report, as in 3 or 3,8,20-39; default: every packet")
	f.IntVar(&o.subflow, "subflow", extract.AllSubflows, "only the subflow with this `ID`; default: all")
	f.BoolVar(&o.comments, "comments", false, "give each packet a comment with what the analysis knows of it, for Wireshark")
	f.StringVarP(&o.output, "output", "o", "", "`FILE` to write, - for standard output")
	writes(c, "output")
	return c
}

// check refuses impossible values, and what cannot be read several times.
func (o *extractOptions) check(a *app, args []string) error {
	return errors.Join(
		refuse(len(o.connections) == 0 && !o.comments, "say what to copy: --connection IDS, or all packets with --comments"),
		refuse(o.subflow < extract.AllSubflows, "--subflow %d: want the id of a subflow, 0 or more; mpanalyze analyze lists them", o.subflow),
		refuse(o.subflow > extract.AllSubflows && !o.connections.one(), "--subflow %d: name its connection alone, as in --connection 3", o.subflow),
		outputMissing(o.output, "connection.pcapng"),
		refuse(o.output == "-" && a.OutTTY, "a terminal cannot show a capture; redirect it to a file or a pipe"),
		refuse(slices.Contains(args, "-"), "extract reads the capture several times, and standard input can be read only once; write it to a file first"))
}

func (a *app) extract(c *cobra.Command, o *extractOptions, eo engine.Options) error {
	if err := o.check(a, eo.Paths); err != nil {
		return mistakes(c, err)
	}
	ctx, damage := c.Context(), error(nil)
	what := extract.What{Comments: o.comments, About: "mpanalyze extract: " + o.about(o.connections) + " of " + eo.Paths[0]}
	if len(o.connections) > 0 {
		if what.Choice, damage = a.chosen(ctx, o, eo); what.Choice == nil || ctx.Err() != nil {
			return damage
		}
	}
	if o.comments {
		var err error
		what.Verdicts, err = a.proofs(ctx, eo)
		if damage = cmp.Or(damage, err); what.Verdicts == nil || ctx.Err() != nil {
			return damage
		}
	}
	failed := a.create(o.output, func(w io.Writer) error { return a.copyPackets(ctx, eo, w, what) })
	return errors.Join(damage, failed)
}

// chosen finds the packets to copy. Without a choice there is nothing to copy.
func (a *app) chosen(ctx context.Context, o *extractOptions, eo engine.Options) (choice *extract.Choice, damage error) {
	choice = extract.Choose(o.subflow, o.connections...)
	doc, damage := a.track(ctx, eo, choice)
	if doc == nil {
		return nil, damage
	}
	if missing := choice.Missing(); len(missing) > 0 && (damage == nil || !choice.Any()) {
		return nil, errors.Join(damage, absent(o.about(missing), eo.Paths))
	}
	return choice, damage
}

// proofs returns which packets prove the verdicts on the connections.
func (a *app) proofs(ctx context.Context, eo engine.Options) (of extract.Verdicts, damage error) {
	damage = a.stored(ctx, eo, func(s *report.Stored) error {
		a.sayMistaken(s.Head())
		found, left, err := extract.VerdictsOf(s)
		if err != nil {
			return err
		}
		if of = found; left > 0 {
			a.sayWarnings([]string{fmt.Sprintf("the captures have more verdicts than are kept: comments lack packets of %d of them", left)})
		}
		return nil
	})
	return of, damage
}

// copyPackets copies packets to w.
func (a *app) copyPackets(ctx context.Context, eo engine.Options, w io.Writer, what extract.What) error {
	out, err := extract.New(w, eo.Paths, what)
	if err != nil {
		return err
	}
	defer out.Close()
	if what.Comments {
		lines := packets.NewComments(out.Comment)
		doc, err := a.track(ctx, eo, lines) // the first reading already reported damage
		if doc == nil {
			return err
		}
		if err := lines.Flush(); err != nil {
			return err
		}
	}
	if err := out.Finish(ctx); err != nil {
		return err
	}
	if n := out.Late(); n > 0 {
		a.sayWarnings([]string{fmt.Sprintf("%d packets have no comment: their connection became known too long after them", n)})
	}
	return nil
}

// about names what is copied.
func (o *extractOptions) about(ids idRanges) string {
	switch {
	case len(ids) == 0:
		return "all packets"
	case o.subflow != extract.AllSubflows:
		return fmt.Sprintf("subflow %d of connection %s", o.subflow, &ids)
	case ids.one():
		return fmt.Sprintf("connection %s", &ids)
	}
	return fmt.Sprintf("connections %s", &ids)
}
