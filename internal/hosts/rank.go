package hosts

import "strings"

// The ranks of files by what their names say about time.
const (
	before = iota
	middle // the name says nothing
	after
)

// firstOrSecond finds the number 1 or 2 at the end of a name, or before its extension.
var firstOrSecond = pattern(`(?:^|\D)([12])(?:\.\D[^.]*)?$`)

// beforeAfter returns what the name of a file says about when it was made: nstat.before,
// nstat-after.txt, nstat1, link.2.
func beforeAfter(name string) int {
	name = strings.ToLower(name)
	number := append(firstOrSecond().FindStringSubmatch(name), "", "")[1]
	switch {
	case strings.Contains(name, "before"):
		return before
	case strings.Contains(name, "after"), number == "2":
		return after
	case number == "1":
		return before
	}
	return middle
}
