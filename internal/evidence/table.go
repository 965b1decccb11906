package evidence

import (
	"embed"

	"mpanalyze/internal/catalogue"
)

// texts has the tables of the package.
//
//go:embed *.json
var texts embed.FS

// read reads a table.
func read[T any](name string) (table T) {
	text, err := texts.ReadFile(name)
	if err != nil {
		panic(err) // a test reads each table
	}
	return catalogue.Read[T](text)
}
