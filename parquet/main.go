// Command mpanalyze-parquet writes the figures and series of a campaign as
// Parquet files for DuckDB, pandas or Spark:
//
//	runs.parquet   a row per run and figure: scenario, run, files, connection, vantage, metric, value, direction, path, name, unit, factors, labels
//	cells.parquet  a row per value of a series: scenario, run, connection, direction, subflow, path, metric, t_s, value
//
// Figures are named as compare names them, series as series.csv does; subflow
// and path are null for series of the whole connection. Columns may be added
// at the end, none is renamed and none changes its type.
//
// It is a module of its own, so that the libraries of the format do not enter
// the analyser.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/metrics"
	"mpanalyze/internal/plaintext"
)

func main() {
	crash.Guard()
	defer crash.Catch()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

// The exit statuses are those of mpanalyze.
const (
	exitOK      = 0
	exitFailed  = 1
	exitSkipped = 2
)

const usage = `Usage: mpanalyze-parquet [flags] [NAME=FILE,FILE,...]...

Writes runs.parquet and cells.parquet of a campaign of captures.

`

// run is the program with the arguments after its name; it returns the exit
// status.
func run(ctx context.Context, args []string, messages io.Writer) int {
	f := flag.NewFlagSet("mpanalyze-parquet", flag.ContinueOnError)
	f.SetOutput(messages)
	f.Usage = func() {
		fmt.Fprint(messages, usage)
		f.PrintDefaults()
	}
	out := f.String("out", ".", "write the files into `DIR`")
	pattern := f.String("pattern", "", "find runs in a folder tree, as in '`{scenario}/run{run}/client.pcap`'")
	manifest := f.String("manifest", "", "read runs from a CSV `FILE` with columns scenario, run, files, vantage")
	interval := f.Duration("interval", 100*time.Millisecond, "cell of the sampling grid")
	skip := f.Duration("skip", 0, "leave the first part of each connection out")
	series := f.String("series", "", "series in cells.parquet: a `LIST` separated by commas; default: all")
	o := engine.Options{Connection: engine.AllConnections, QoE: metrics.DefaultQoE}
	f.Func("label", "name a path by an address or subnet: `ADDR=NAME`; may be repeated", func(text string) error {
		l, err := parseLabel(text)
		o.Labels = append(o.Labels, l)
		return err
	})
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitOK
		}
		return exitFailed
	}
	o.Interval, o.Skip, o.Series = *interval, *skip, wanted(*series)
	inputs, err := inputs(f.Args(), *pattern, *manifest)
	if err == nil {
		var skipped int
		if skipped, err = write(ctx, *out, inputs, o, messages); err == nil && skipped > 0 {
			fmt.Fprintf(messages, "mpanalyze-parquet: skipped %d of %d runs\n", skipped, len(inputs))
			return exitSkipped
		}
	}
	if err != nil {
		fmt.Fprintf(messages, "mpanalyze-parquet: %s\n", plaintext.Clean(err.Error()))
		if crash.Exhausted(err) {
			return crash.Status
		}
		return exitFailed
	}
	return exitOK
}

// inputs collects the runs of all sources.
func inputs(args []string, pattern, manifest string) (all []campaign.Input, err error) {
	add := func(in []campaign.Input, e error) {
		all, err = append(all, in...), errors.Join(err, e)
	}
	for _, text := range args {
		add(campaign.ParseScenario(text))
	}
	if pattern != "" {
		add(campaign.Find(pattern))
	}
	if manifest != "" {
		add(campaign.ReadManifest(manifest))
	}
	if err == nil && len(all) == 0 {
		err = errors.New("no run given; name scenarios as NAME=FILE,FILE,... or use -pattern or -manifest")
	}
	return all, err
}

// parseLabel reads ADDRESS=NAME or SUBNET=NAME.
func parseLabel(text string) (engine.Label, error) {
	where, name, ok := strings.Cut(text, "=")
	if !ok || name == "" {
		return engine.Label{}, errors.New("want ADDRESS=NAME or SUBNET=NAME")
	}
	if plaintext.Clean(name) != name {
		return engine.Label{}, errors.New("want a name of printable characters in UTF-8")
	}
	if addr, err := netip.ParseAddr(where); err == nil {
		addr = addr.Unmap()
		return engine.Label{Prefix: netip.PrefixFrom(addr, addr.BitLen()), Name: name}, nil
	}
	prefix, err := netip.ParsePrefix(where)
	return engine.Label{Prefix: prefix.Masked(), Name: name}, err
}

// wanted reads the list of series.
func wanted(list string) func(string) bool {
	if list == "" {
		return func(string) bool { return true }
	}
	names := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		names[strings.TrimSpace(name)] = true
	}
	return func(metric string) bool { return names[metric] }
}
