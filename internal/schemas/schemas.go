// Package schemas has the JSON Schemas (draft 2020-12) of what commands write. A test of the folder above derives them
// from the types; that of why has its source in package plaintext.
package schemas

import "embed"

//go:generate go test .. ../plaintext -run TestSchemaIsCurrent -update

//go:embed *.json
var files embed.FS

// Of returns the schema of what a command writes, by its word for explain --schema; nil where there is none.
func Of(word string) []byte {
	text, _ := files.ReadFile(word + ".json")
	return text
}
