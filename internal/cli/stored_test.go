package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// forms are all forms of a report.
var forms = map[string]func(io.Writer, report.Source) error{
	"JSON":     jsonreport.Write,
	"why":      func(w io.Writer, s report.Source) error { return plaintext.Why(w, s, plaintext.Options{}) },
	"why JSON": func(w io.Writer, s report.Source) error { return plaintext.WhyJSON(w, s, plaintext.Options{}) },
	"summary": func(w io.Writer, s report.Source) error {
		return plaintext.Summary(w, s, plaintext.Options{Width: 100})
	},
	"all of it": func(w io.Writer, s report.Source) error {
		return plaintext.Summary(w, s, plaintext.Options{All: true})
	},
	"lines":  plaintext.Connections,
	"tables": tablesOf,
}

// tablesOf writes the tables one behind the other.
func tablesOf(w io.Writer, s report.Source) error {
	dir, err := os.MkdirTemp("", "tables")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tables, err := csvtables.New(dir, csvtables.Options{})
	if err != nil {
		return err
	}
	if err := tables.Document(s); err != nil {
		return err
	}
	if err := tables.Close(); err != nil {
		return err
	}
	for _, name := range []string{"connections.csv", "subflows.csv", "tcp.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// TestFormsOfStored: each form of a stored report is that of the same report in memory.
func TestFormsOfStored(t *testing.T) {
	captures, err := filepath.Glob("../../testdata/sessions/v1/*/client.pcap*")
	if err != nil || len(captures) < 10 {
		t.Fatalf("%d captures, %v", len(captures), err)
	}
	all, err := filepath.Glob("../../testdata/sessions/v1/*/server.pcap.zst") // many connections in one report
	if err != nil {
		t.Fatal(err)
	}
	inputs := [][]string{all}
	for _, c := range captures {
		inputs = append(inputs, []string{c})
	}
	for _, paths := range testrun.Few(inputs) {
		s, err := engine.AnalyzeStored(context.Background(), engine.Options{
			Paths: paths, Interval: 100 * time.Millisecond, Connection: engine.AllConnections, Detail: report.WithData,
		})
		if s == nil {
			t.Fatal(err)
		}
		d, err := s.Document()
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range forms {
			var stored, whole bytes.Buffer
			if err := write(&stored, s); err != nil {
				t.Errorf("%s of %s: %v", name, paths, err)
			}
			if err := write(&whole, d); err != nil {
				t.Errorf("%s of %s: %v", name, paths, err)
			}
			if !bytes.Equal(stored.Bytes(), whole.Bytes()) || stored.Len() == 0 {
				t.Errorf("%s of %s: %d bytes stored, %d in memory, and not the same", name, slices.Max(paths), stored.Len(), whole.Len())
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
