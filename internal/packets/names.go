package packets

import "strconv"

// names replaces texts that differ from run to run, such as ports and keys, by names in the
// order of their appearance: key1, key2. A nil names leaves every text as it is.
type names struct {
	given map[string]string // by kind and text; bounded by maxNames
	next  map[string]int    // by kind
}

// maxNames bounds the names. All further texts of a kind share one name.
const maxNames = 1 << 16

func newNames() *names { return &names{given: map[string]string{}, next: map[string]int{}} }

// of returns the name of a text of a kind.
func (n *names) of(kind, text string) string {
	if n == nil {
		return text
	}
	key := kind + " " + text
	name, ok := n.given[key]
	switch {
	case ok:
	case len(n.given) >= maxNames:
		return kind + "N"
	default:
		n.next[kind]++
		name = kind + strconv.Itoa(n.next[kind])
		n.given[key] = name
	}
	return name
}
