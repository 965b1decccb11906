package hosts

import "strings"

// The ranks of files by what their names say about time.
const (
	before = iota
	middle // the name says nothing
	after
)

// rankOf returns the word for the rank of a name.
var rankOf = firstOf("ranks.txt", "", "")

// beforeAfter returns what the name of a file says about when it was made: nstat.before,
// nstat-after.txt, nstat1, link.2.
func beforeAfter(name string) int {
	return map[string]int{"before": before, "": middle, "after": after}[rankOf(strings.ToLower(name))]
}
