package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
)

// TestCompletion asks the program what a shell asks it when the Tab key is pressed.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args     string // the last word is what was typed, "_" for nothing
		want     string // names that are suggested
		unwanted string // names that are not
	}{
		{"analyze --tables _", "srtt goodput chunks packets hash series none", "streaming"},
		{"analyze --tables rtt,sr", "rtt,srtt", "rtt,rtt"},
		{"analyze --tables rtt,_", "rtt,srtt rtt,cwnd_estimate", "rtt,rtt"},
		{"analyze --metric delays,_", "delays,order delays,windows", "delays,delays"},
		{"analyze --vantage _", "a b middle", ""},
		{"why --kernel _", "5.15 6.1 6.6 6.12 6.18 omr 0.9x", "5.4"},
		{"live --kernel _", "6.12 omr", ""},
		{"analyze --tcp _", "all summary none", ""},
		{"analyze --stream _", "bitrate= playout= gap=", ""},
		{"analyze --stream bitrate=1M,_", "bitrate=1M,playout=", ""},
		{"connections --format _", "table csv json", "tsv"},
		{"analyze --clock _", "none offset drift auto", ""},
		{"analyze --color=_", "auto always never", ""},
		{"analyze --js", "--json", "--from"},
		{"compare --metric _", "srtt goodput protocol_delay", "receive_window"},
		{"compare --rank _", "bytes goodput", ""},
		{"compare --fail-on _", "protocol_delay> goodput>", "backup> captured_segments>"},
		{"analyze --fail-on _", "protocol_delay> goodput< drops>", "receive_window> severity>"},
		{"compare --table _", "fi23 rec16 mix", ""},
		{"compare --direction _", "a2b b2a", ""},
		{"plot --kind _", "dsn series rec16", ""},
		{"plot --figure _", "dsn= series=", ""},
		{"plot --metric srtt,_", "srtt,goodput", "srtt,srtt"},
		{"plot --format _", "svg png pdf", ""},
		{"plot --style legend=_", "legend=below legend=right legend=none", ""},
		{"plot --style column,_", "column,events= column,width=", ""},
		{"compare --allow _", "places options incomplete", ""},
		{"explain _", "srtt receive_window fairness", ""},
		{"explain srtt _", "receive_window", "srtt"},
		{"explain --schema _", "report compare", ""},
		{"completion _", "bash zsh fish powershell", ""},
		{"help _", "analyze compare why", ""},
		{"_", "analyze compare why help completion", ""},
	} {
		args := strings.Fields("__complete " + c.args)
		args[len(args)-1] = strings.TrimSuffix(args[len(args)-1], "_")
		r := run(new(fake), nil, args...)
		var got []string
		for line := range strings.Lines(r.out) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			got = append(got, name)
		}
		for name := range strings.FieldsSeq(c.want) {
			assert.Check(t, slices.Contains(got, name) || slices.Contains(got, strings.TrimPrefix(name, "--color=")), "%s: %s is not suggested, but %q", c.args, name, got)
		}
		for name := range strings.FieldsSeq(c.unwanted) {
			assert.Check(t, !slices.Contains(got, name), "%s: %s is suggested", c.args, name)
		}
	}
}

// TestEveryChoiceCompletes: a flag whose text names all the values that it takes completes
// them.
func TestEveryChoiceCompletes(t *testing.T) {
	root := cli.NewRoot(cli.Streams{}, cli.Engine{}, "")
	choices := []string{"clock", "color", "direction", "format", "hash", "host", "kernel", "kind", "metric", "metrics", "rank", "series", "subtype", "table", "tcp", "vantage"}
	found := 0
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !slices.Contains(choices, f.Name) {
				return
			}
			found++
			_, ok := c.GetFlagCompletionFunc(f.Name)
			assert.Check(t, ok, "%s --%s completes nothing", c.Name(), f.Name)
		})
	}
	assert.Check(t, found >= 25, "%d flags with a choice, which is too few to be all", found)
}
