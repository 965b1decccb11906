package packets

import "strconv"

// names gives what differs from run to run, such as ports and keys, names by the order
// in which they come: key1, key2. A nil names leaves everything as it is.
type names struct {
	given map[string]string // by kind and text; bounded by maxNames
	next  map[string]int    // by kind
}

// maxNames bounds the names. Further texts share one.
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
