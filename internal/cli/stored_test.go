package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/connlines"
	"mpanalyze/internal/csvtables"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/reporttest"
)

// forms are all forms of a report.
var forms = map[string]func(io.Writer, report.Source) error{
	"JSON":     jsonreport.Write,
	"why":      func(w io.Writer, s report.Source) error { return plaintext.Why(w, s, plaintext.Options{}) },
	"why JSON": plaintext.WhyJSON,
	"summary": func(w io.Writer, s report.Source) error {
		return plaintext.Summary(w, s, plaintext.Options{Width: 100})
	},
	"all of it": func(w io.Writer, s report.Source) error {
		return plaintext.Summary(w, s, plaintext.Options{All: true})
	},
	"lines":  connlines.TSV,
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
	err = errors.Join(tables.Document(s), tables.Close())
	for _, name := range []string{"connections.csv", "subflows.csv", "tcp.csv"} {
		text, read := os.ReadFile(filepath.Join(dir, name))
		_, write := w.Write(text)
		err = errors.Join(err, read, write)
	}
	return err
}

// TestFormsOfStored: each form of a stored report is that of the same report in memory.
func TestFormsOfStored(t *testing.T) {
	for _, d := range []*report.Document{reporttest.Everything(), reporttest.Crowd(300)} {
		s, err := report.Store(d)
		assert.NilError(t, err)
		for name, write := range forms {
			var stored, whole bytes.Buffer
			assert.Check(t, errors.Join(write(&stored, s), write(&whole, d)), "%s", name)
			assert.Check(t, bytes.Equal(stored.Bytes(), whole.Bytes()) && stored.Len() != 0, "%s: %d bytes stored, %d in memory, and not the same", name, stored.Len(), whole.Len())
		}
		assert.Check(t, s.Close())
	}
}
