package cli

import (
	"strings"

	"mpanalyze/internal/storage"
)

// quoted returns words in quotation marks where a shell needs them.
func quoted(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = w
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?[]{}~#`!") {
			out[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return out
}

// exists reports whether there is a file of that name.
func exists(name string) bool {
	_, err := storage.Stat(name)
	return err == nil
}
