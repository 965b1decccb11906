package evidence

import (
	"embed"
	"encoding/json"
)

// texts has the tables of the package.
//
//go:embed *.json
var texts embed.FS

// read reads a table.
func read[T any](name string) (table T) {
	text, err := texts.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(text, &table)
	}
	if err != nil {
		panic("evidence: " + name + ": " + err.Error()) // a test reads each table
	}
	return table
}
