package distributions_test

import (
	"bytes"
	"strings"
	"testing"

	"mpanalyze/internal/distributions"
)

// The label of a path is no formula in CSV; the table for people has it as it is.
func TestHoursHaveNoFormula(t *testing.T) {
	list := []distributions.Share{{Direction: "a2b", Path: "=1+1", Bytes: 5}}
	var hours, table bytes.Buffer
	if err := distributions.WriteHours(&hours, list); err != nil {
		t.Fatal(err)
	}
	if err := distributions.WriteTable(&table, 1, nil, list); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(hours.String(), ",'=1+1,") || strings.Contains(table.String(), "'=1+1") {
		t.Errorf("%s\n%s", hours.String(), table.String())
	}
}
