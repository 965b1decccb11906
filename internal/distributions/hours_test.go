package distributions_test

import (
	"bytes"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/distributions"
)

// The label of a path is no formula in CSV; the table for people has it as it is.
func TestHoursHaveNoFormula(t *testing.T) {
	list := []distributions.Share{{Direction: "a2b", Path: "=1+1", Bytes: 5}}
	var hours, table bytes.Buffer
	assert.NilError(t, distributions.WriteHours(&hours, list))
	assert.NilError(t, distributions.WriteTable(&table, 1, nil, list))
	assert.Check(t, strings.Contains(hours.String(), ",'=1+1,") && !strings.Contains(table.String(), "'=1+1"), "%s\n%s", hours.String(), table.String())
}
