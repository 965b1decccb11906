package export

import (
	"encoding/json"
	"fmt"
	"io"

	"mpanalyze/internal/report"
)

// JSON writes d as indented JSON. Equal documents give equal bytes.
func JSON(w io.Writer, d *report.Document) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	if err := enc.Encode(d); err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	return nil
}
