package live

import (
	"encoding/json"
	"io"
)

// Write writes an interval as a line of JSON.
func Write(w io.Writer, v *Interval) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
