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
// break. An object that can hold neither objects nor lists is written on one line.
// Except for white space these are the bytes that [encoding/json.Encoder] would write.
// That encoder would need memory for the whole text twice. Equal documents give equal
// bytes. Write fails if a number is not finite, with the number's path in the document,
// or if w fails; then w has got the beginning of the document.
func Write(w io.Writer, s report.Source) error {
	plan, err := documentPlan()
	if err == nil {
		err = writeJSON(w, plan, s)
	}
	return err
}
