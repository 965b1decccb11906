package diff

import "slices"

// always holds the fields that differ between two runs of one test, whatever was tested: who
// made the report of which files, moments, packet numbers, and what hosts draw at random. Texts
// for people repeat such numbers; codes stand beside them.
var always = []string{
	"made_by", "captures", "file", "sha256", "clock", "hosts",
	"start", "first", "last", "t_s", "start_s", "end_s", "first_s", "last_s",
	"packet", "offset",
	"port", "token", "token_a", "token_b", "cookie", "cookie_given",
	"text", "detail", "message", "what", "remedy", "vantage_evidence", "fallback", "unavailable",
}

// varies reports whether a field is one of those.
func varies(name string) bool { return slices.Contains(always, name) }
