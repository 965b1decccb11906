package hosts

import (
	"path"
	"strings"
)

// The ranks of files by what their names say about time.
const (
	before = iota
	middle // the name says nothing
	after
)

// beforeAfter returns what the name of a file says about when it was made: nstat.before,
// nstat-after.txt, nstat1, link.2.
func beforeAfter(name string) int {
	name = strings.ToLower(name)
	switch {
	case strings.Contains(name, "before"):
		return before
	case strings.Contains(name, "after"):
		return after
	}
	for range 2 {
		switch stem := strings.TrimRight(name, "0123456789"); name[len(stem):] {
		case "1":
			return before
		case "2":
			return after
		}
		name = strings.TrimSuffix(name, path.Ext(name))
	}
	return middle
}
