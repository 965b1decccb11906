package runs

import (
	"encoding/json"
	"errors"
	"fmt"

	"mpanalyze/internal/report"
	"mpanalyze/internal/storage"
)

// whyNoReport returns what is wrong with a text that is not a report.
func whyNoReport(err error) string {
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		return fmt.Sprintf("%q is a %s there", wrong.Field, wrong.Value)
	}
	return "no valid JSON: " + err.Error()
}

// ReadReport reads a report that analyze --json wrote. It returns an error if the
// report or its capture is damaged. files holds what else reads the report; nil for nothing.
func ReadReport(files *storage.Files, file string) (*report.Document, error) {
	text, err := files.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return parseReport(file, text)
}

func parseReport(file string, text []byte) (*report.Document, error) {
	doc := &report.Document{}
	if err := json.Unmarshal(text, doc); err != nil {
		return nil, fmt.Errorf("%s: not a report: %s; analyze --json=FILE writes one", file, whyNoReport(err))
	}
	if doc.Schema != report.SchemaName {
		return nil, fmt.Errorf("%s: not a report of this program: its schema is %q, not %q; analyze --json=FILE writes one", file, doc.Schema, report.SchemaName)
	}
	for _, c := range doc.Captures {
		if c.Truncated {
			return nil, damagedReport(file, c)
		}
	}
	return doc, nil
}

func damagedReport(file string, c report.Capture) error {
	why := errors.New("the file ends inside a packet")
	if c.Damage != nil {
		why = errors.New(c.Damage.Message)
	}
	return fmt.Errorf("%s: its capture %s is damaged: %w", file, c.File, why)
}
