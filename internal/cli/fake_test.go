package cli_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/follow"
	"mpanalyze/internal/report"
)

// fake is an engine whose captures are texts: the first word of a file says
// what becomes of it, the rest is the application stream.
type fake struct {
	mutex sync.Mutex
	asked []engine.Options // of every call
}

func (f *fake) engine() cli.Engine {
	return cli.Engine{Analyze: f.analyze, Stored: f.stored, Follow: f.follow, Track: f.track}
}

// open reads every file; its error is what an engine would return.
func (f *fake) open(o engine.Options) (doc *report.Document, stream []byte, err error) {
	f.mutex.Lock() // compare asks for several at once
	f.asked = append(f.asked, o)
	f.mutex.Unlock()
	doc = &report.Document{Schema: report.SchemaName, MadeBy: o.MadeBy()}
	for _, path := range o.Paths {
		text, e := readAll(path, o.Stdin)
		if e != nil {
			return nil, nil, e
		}
		word, rest, _ := strings.Cut(string(text), " ")
		stream = append(stream, rest...)
		switch word {
		case "damaged":
			err = errors.Join(err, fmt.Errorf("%s: packet 3, byte offset 99: cut", path))
		case "sound":
		default:
			return nil, nil, fmt.Errorf("%s: not a capture: found text", path)
		}
		doc.Captures = append(doc.Captures, report.Capture{File: path, Format: "pcap", Packets: 3, Truncated: word == "damaged"})
	}
	if err != nil {
		err = &engine.DamageError{Err: err}
	}
	return doc, stream, err
}

func readAll(path string, stdin io.Reader) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(path)
}

func (f *fake) analyze(_ context.Context, o engine.Options) (*report.Document, error) {
	doc, stream, err := f.open(o)
	if doc == nil {
		return nil, err
	}
	conn := report.Connection{ID: 0, Version: new(1), Vantage: "unknown", State: report.ConnOpen, Handshake: true, A2B: &report.ConnDir{}, B2A: &report.ConnDir{}}
	if o.Vantage != "" {
		conn.Vantage = o.Vantage
	}
	sub := report.Subflow{Path: "10.0.0.1-10.0.0.2", State: report.SubflowOpen, JoinHMAC: report.HMACNone, A2B: &report.SubDir{}, B2A: &report.SubDir{}}
	for _, l := range o.Labels {
		sub.Path = l.Name
	}
	conn.Subflows = []report.Subflow{sub}
	conn.B2A.Bytes = new(int64(len(stream)))
	packet, at := int64(7), 0.25
	conn.Verdicts = &report.List[report.Verdict]{{
		Code: report.VerdictSinglePath, Severity: report.Major, Certainty: report.Certain, Text: "one path only. Possible: nothing",
		Evidence: []report.Proof{{What: "the SYN", Packet: &packet, TS: &at}},
	}}
	doc.Connections = []report.Connection{conn}
	if o.Rows != nil {
		if e := o.Rows.Event(&report.EventRow{Kind: report.EventFin}); e != nil {
			return nil, e
		}
		if o.Series != nil && o.Series("srtt") {
			if e := o.Rows.Series([]report.SeriesRow{{SeriesLine: &report.SeriesLine{Cell: &report.Cell{Direction: report.B2A}, Metric: "srtt"}, Value: 20}}); e != nil {
				return nil, e
			}
		}
	}
	return doc, err
}

func (f *fake) stored(ctx context.Context, o engine.Options) (*report.Stored, error) {
	doc, met := f.analyze(ctx, o)
	if doc == nil {
		return nil, met
	}
	s, err := report.Store(doc)
	if err != nil {
		return nil, err
	}
	return s, met
}

func (f *fake) track(_ context.Context, o engine.Options) (*report.Document, error) {
	doc, _, err := f.open(o)
	return doc, err
}

func (f *fake) follow(_ context.Context, o engine.Options, w io.Writer) (engine.FollowResult, error) {
	_, stream, err := f.open(o)
	if err != nil && !engine.Damaged(err) {
		return engine.FollowResult{}, err
	}
	whole, _, missing := strings.Cut(string(stream), "HOLE")
	if _, err := io.WriteString(w, whole); err != nil {
		return engine.FollowResult{}, err
	}
	if missing {
		return engine.FollowResult{}, fmt.Errorf("connection %d: %w", o.Connection, &follow.MissingError{DSN: 4711, Byte: int64(len(whole)), Why: "cut off by the snapshot length"})
	}
	return engine.FollowResult{SHA256: sha256.Sum256([]byte(whole)), Bytes: int64(len(whole))}, err
}

// result is what a run of the program left.
type result struct {
	code     cli.ExitCode
	out, err string
}

// run runs the program in this process, on captures that are texts.
func run(f *fake, change func(*cli.Streams), args ...string) result {
	return runOn(f.engine(), change, args...)
}

var (
	trueEngine = cli.Engine{Analyze: engine.Analyze, Stored: engine.AnalyzeStored, Follow: engine.Follow, Track: engine.Track, Live: engine.Live}
	sessions   = filepath.Join("..", "..", "testdata", "sessions")
)

// trueProgram runs the program in this process, with the true engine.
func trueProgram(args ...string) (code cli.ExitCode, out []byte, errs string) {
	r := runOn(trueEngine, func(s *cli.Streams) { s.Getenv = os.Getenv }, args...)
	return r.code, []byte(r.out), r.err
}

func runOn(e cli.Engine, change func(*cli.Streams), args ...string) result {
	var out, errs bytes.Buffer
	s := cli.Streams{
		In: strings.NewReader("sound from stdin"), Out: &out, Err: &errs,
		Getenv: func(string) string { return "" },
		Now:    func() time.Time { return time.Unix(0, 0) },
	}
	if change != nil {
		change(&s)
	}
	code := cli.Main(args, s, e, "v0-test")
	return result{code, out.String(), errs.String()}
}
