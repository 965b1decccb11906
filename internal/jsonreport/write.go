package jsonreport

import (
	"io"
	"reflect"
	"sync"

	"mpanalyze/internal/report"
)

// documentPlan is made on first use: not every run writes JSON.
var documentPlan = sync.OnceValues(func() (*jsonPlan, error) {
	return planJSON(reflect.TypeFor[report.Document]())
})

// Write writes a report as JSON, indented by one space a level and followed by a line
// break. An object that can hold no other and no list stands on one line. But for white
// space these are the bytes that [encoding/json.Encoder] would give, without its memory,
// which is the whole text twice. Equal documents give equal bytes. It fails where a
// number is not finite, with the number's path in the document, and where w
// does; w holds the beginning of the document then.
func Write(w io.Writer, s report.Source) error {
	plan, err := documentPlan()
	if err == nil {
		err = writeJSON(w, plan, s)
	}
	return err
}
