package cli

import (
	"cmp"
	"errors"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/hosts"
	"mpanalyze/internal/report"
	"mpanalyze/internal/runs"
	"mpanalyze/internal/storage"
)

// runOptions holds the flags that say which runs a campaign has and how they are analysed.
// Commands with equal runOptions get equal figures.
type runOptions struct {
	source
	pattern    string
	manifest   string
	baseline   []string
	single     []string
	connection int
	jobs       int
	records    string
	clock      clockFlag
	end        endFlag
	opened     storage.Files // that an artefact has hashes of
	player
}

func (o *runOptions) register(c *cobra.Command) {
	o.source.register(c)
	f := c.Flags()
	f.StringVar(&o.pattern, "pattern", "", "find runs in a folder tree by a `PATTERN`, as in '{scenario}/run{run}/client.pcap'; {host} for captures of both hosts")
	f.StringVar(&o.manifest, "manifest", "", "read runs from a CSV `FILE` with columns scenario, run, files (or sender and receiver), vantage, bytes and any labels")
	o.clock.register(c)
	o.end.register(c, string(report.SenderHost), endHelp)
	f.StringArrayVar(&o.baseline, "baseline", nil, "scenario to compare with: one among the runs by its `NAME`, so that the others are compared with it alone, or of an earlier campaign NAME=FILE,FILE,...; the latter may be repeated")
	f.StringArrayVar(&o.single, "single", nil, "runs over one path alone, of Multipath or plain TCP: `PATH=FILE,FILE,...`; once for each path, for the aggregation benefit")
	f.DurationVar(&o.eo.Interval, "interval", 100*time.Millisecond, "length of a cell of the sampling grid; 0: a sample per DATA_ACK")
	f.DurationVar(&o.eo.Skip, "from", 0, "leave out data before this time after each direction's first data, in delays, order, rates and shares")
	f.IntVar(&o.connection, "connection", campaign.AnyConnection, "take the connection with this `ID` of each run; default: the one with the most data")
	f.IntVar(&o.jobs, "jobs", 0, "runs analysed at once; default: the number of cores")
	f.StringVar(&o.records, "evidence", "", "`DIR`ectory, relative to that of each capture, whose folders host-a and host-b hold records of the hosts; default: that of the capture")
	runsFrom(c, "pattern", "baseline", "single", "evidence")
	reads(c, "manifest")
	registerQoE(c, &o.eo.QoE)
	o.player.register(c)
	registerExtra(c, &o.eo.Regret, nil)
}

// check refuses values that make no sense, all at once.
func (o *runOptions) check(c *cobra.Command) error {
	return errors.Join(
		checkInterval(o.eo.Interval), notNegative("from", o.eo.Skip),
		checkConnection(o.connection, campaign.AnyConnection),
		refuse(o.jobs < 0, "--jobs %d: want a number of runs, or 0 for the number of cores", o.jobs))
}

// inputs collects the runs of all sources.
func (o *runOptions) inputs(args []string) (all []campaign.Input, err error) {
	add := func(in []campaign.Input, e error) {
		all, err = append(all, in...), errors.Join(err, e)
	}
	parse := func(text string, mark campaign.Input) {
		in, e := campaign.ParseScenario(text)
		for i := range in {
			in[i].Baseline, in[i].Single = mark.Baseline, mark.Single
		}
		add(in, e)
	}
	for _, text := range args {
		parse(text, campaign.Input{})
	}
	add(listedRuns(o.pattern, o.manifest, &o.opened))
	if err == nil && len(all) == 0 {
		err = errors.New("no run is named; name scenarios as NAME=FILE,FILE,... or use --pattern or --manifest")
	}
	for _, text := range o.baseline {
		if strings.Contains(text, "=") { // else a scenario among the runs; see against
			parse(text, campaign.Input{Baseline: true})
		}
	}
	for _, text := range o.single {
		parse(text, campaign.Input{Single: true})
	}
	return all, err
}

// listedRuns returns the runs that a pattern and a manifest find. files holds what else reads the
// manifest; nil for nothing.
func listedRuns(pattern, manifest string, files *storage.Files) (all []campaign.Input, err error) {
	if pattern != "" {
		all, err = campaign.Find(pattern)
	}
	if manifest != "" {
		found, e := campaign.ReadManifest(files, manifest)
		all, err = append(all, found...), errors.Join(err, e)
	}
	return all, err
}

// against returns the scenario that --baseline names among the runs; empty for none.
func (o *runOptions) against() (name string, err error) {
	for _, text := range o.baseline {
		if strings.Contains(text, "=") {
			continue
		}
		if name = text; len(o.baseline) > 1 {
			return "", errors.New("--baseline " + text + ": a scenario among the runs is the only baseline; want one name, or NAME=FILE,FILE,... of an earlier campaign")
		}
	}
	return name, nil
}

// campaignOptions turns checked flags into the engine's options. The caller adds runs and cache.
func (o *runOptions) campaignOptions(a *app, c *cobra.Command) (runs.Options, error) {
	eo, err := o.source.options(a, c, nil)
	if err != nil {
		return runs.Options{}, err
	}
	if eo.Player, err = o.player.options(c); err != nil {
		return runs.Options{}, mistakes(c, err)
	}
	eo.Clock, eo.End = o.clock.mode(), o.end.host()
	return runs.Options{Options: eo, Records: o.records, Connection: o.connection, Workers: cmp.Or(o.jobs, cores()), Analyze: a.engine.Analyze}, nil
}

// cores is the number of processors that the program may use.
func cores() int { return runtime.GOMAXPROCS(0) }

// filesRead returns the captures of runs and the records of their hosts in dir.
func filesRead(inputs []campaign.Input, dir string) (names []string) {
	for i := range inputs {
		names = append(names, inputs[i].AllFiles()...)
		for _, folder := range runs.RecordsOf(&inputs[i], dir) {
			names = append(names, hosts.Records(folder.Path)...)
		}
	}
	return names
}

// mixing holds the flags that allow to compare runs that were made in different ways, and the
// options of the analysis that the user gave. Every command that takes runs has these flags.
type mixing struct {
	vantages bool
	options  bool
	given    []string // options of the analysis that the user gave, by their names in reports
}

// register adds --allow and returns its keys.
func (m *mixing) register(c *cobra.Command) *pflag.FlagSet {
	f := keysVar(c, "allow", "accept what else is refused: a `LIST` of the keys below").set
	f.BoolVar(&m.vantages, "places", false, "runs of a scenario that were captured at different places")
	f.BoolVar(&m.options, "options", false, "reports that were made with other options or by another version")
	return f
}

// optionsOf has the names in reports of the options that a flag sets, where they are not that of the flag.
var optionsOf = map[string][]string{
	"label": {"labels"}, "from": {"skip"}, "qoe": {"qoe_alpha", "qoe_beta", "qoe_gamma"},
	"stream": {"bitrate", "playout", "message_gap"}, "extra": {"regret"},
}

// note stores which options of the analysis the user gave.
func (m *mixing) note(c *cobra.Command) {
	eachFigureFlag(c, func(f *pflag.Flag, _ string) {
		if f.Changed {
			m.given = append(append(m.given, f.Name), optionsOf[f.Name]...)
		}
	})
}

// check refuses runs that were made with different options or versions. With
// --allow options it returns what differs, for a warning. more is what else differs.
func (m *mixing) check(set *campaign.Set, eo *engine.Options, more ...string) ([]string, error) {
	unlike := slices.Concat(set.Unlike(eo.MadeBy(), m.given), more)
	if m.options || len(unlike) == 0 {
		return unlike, nil
	}
	var errs []error
	for _, line := range unlike {
		errs = append(errs, errors.New(line))
	}
	return nil, errors.Join(append(errs, errors.New("analyse all with the same options and version, or state --allow options to take them as they are; options of the analysis do not change a report"))...)
}
