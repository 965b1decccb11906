package cli_test

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// TestInterrupted: what was read before the interrupt is reported.
func TestInterrupted(t *testing.T) {
	doc, err := report.Store(&report.Document{Schema: report.SchemaName})
	assert.NilError(t, err)
	for _, c := range []struct {
		doc  *report.Stored
		err  error
		code cli.ExitCode
	}{
		{doc, &engine.DamageError{Err: context.Canceled}, cli.ExitDamaged},
		{nil, context.Canceled, cli.ExitFailed},
	} {
		e := cli.Engine{Stored: func(context.Context, engine.Options) (*report.Stored, error) { return c.doc, c.err }}
		if r := runOn(e, nil, "analyze", "-", "--json"); r.code != c.code || r.err != "mpanalyze: interrupted\n" || (r.out != "") != (c.doc != nil) {
			t.Errorf("%v: exit status %d, stderr %q, %d bytes", c.err, r.code, r.err, len(r.out))
		}
	}
}

// TestReportsValidate checks the output of analyze with the schema that explain --schema
// prints.
func TestReportsValidate(t *testing.T) {
	schema := reporttest.Schema(t, []byte(run(new(fake), nil, "explain", "--schema").out))
	for _, flags := range [][]string{nil, {"--direction", "a2b"}, {"--direction", "b2a"}} {
		out := run(new(fake), nil, append([]string{"analyze", "-", "--json"}, flags...)...).out
		assert.Check(t, schema.Validate(reporttest.JSON(t, []byte(out))), "%v", flags)
	}
}

// TestTwoHostsRemedy: captures of two hosts given as one view are an error that says what
// this command can do with them.
func TestTwoHostsRemedy(t *testing.T) {
	two := &engine.TwoHostsError{Files: [2]string{"c.pcap", "s.pcap"}, RTT: 40 * time.Millisecond}
	e := cli.Engine{
		Analyze: func(context.Context, engine.Options) (*report.Document, error) { return nil, two },
		Stored:  func(context.Context, engine.Options) (*report.Stored, error) { return nil, two },
		Follow: func(context.Context, engine.Options, io.Writer) (engine.FollowResult, error) {
			return engine.FollowResult{}, two
		},
		Track: func(context.Context, engine.Options) (*report.Document, error) { return nil, two },
	}
	out := filepath.Join(t.TempDir(), "x.svg")
	for command, remedy := range map[string]string{
		"analyze": "--sender FILE --receiver FILE", "why": "--sender FILE --receiver FILE", "report -o " + out: "--sender FILE --receiver FILE", "plot -o " + out: "--sender FILE --receiver FILE",
		"connections": "give connections those of one host", "packets": "give packets those of one host", "tcptrace": "give tcptrace those of one host",
		"extract --connection 0 -o " + out: "give extract those of one host", "extract --comments -o " + out: "give extract those of one host", "follow --connection 0 --direction a2b": "give follow those of one host",
	} {
		r := runOn(e, nil, append(strings.Fields(command), "c.pcap", "s.pcap")...)
		assert.Check(t, r.code == cli.ExitFailed && strings.Contains(r.err, "c.pcap and s.pcap are captures of two hosts") && strings.Contains(r.err, remedy),
			"%s: exit status %d, %q; want %q", command, r.code, r.err, remedy)
	}
}
