package diff

import (
	"slices"
	"strconv"
	"strings"
)

// lists compares the items of two lists. Where items say what they are, those that are the same thing
// are compared, and the others were added or removed: else one event more would make all behind it
// differ. Items that do not say so are compared by their places.
//
// The path of an item has its place in the old list, that of an added one its place in the new list. Verdicts are compared whatever
// their order, which is that of what they cost.
func (c *comparer) lists(old, now []any) {
	i, j := 0, 0
	a, named := c.items(old)
	b, alsoNamed := c.items(now)
	item := func(place int, old, now any, before, after bool) {
		c.path = append(c.path, "["+strconv.Itoa(place)+"]")
		c.either(old, now, before, after)
		c.path = c.path[:len(c.path)-1]
	}
	upTo := func(toOld, toNow int) {
		for ; i < toOld; i++ {
			item(a[i].at, a[i].value, nil, true, false)
		}
		for ; j < toNow; j++ {
			item(b[j].at, nil, b[j].value, false, true)
		}
	}
	for _, p := range samePairs(a, b, named && alsoNamed) {
		upTo(p[0], p[1])
		item(a[i].at, a[i].value, b[j].value, true, true)
		i, j = i+1, j+1
	}
	upTo(len(a), len(b))
}

// listItem is an item of a list and its place: what it is, where it belongs, and all that is in it.
type listItem struct {
	value              any
	at                 int
	name, belongs, all string
}

// items returns the items of a list in the order in which they are compared, and whether each says what it is.
func (c *comparer) items(list []any) (items []listItem, named bool) {
	named = true
	for at, v := range list {
		object, _ := v.(map[string]any)
		item := listItem{value: v, at: at}
		for _, field := range []string{"id", "kind", "code"} { // connections and subflows; events; verdicts and warnings
			if of := object[field]; of != nil && item.name == "" {
				item.name, item.belongs = field+" "+written(of), written([]any{object["subflow"], object["direction"]})
				if field == "code" { // a verdict on another subflow is another one
					item.name += item.belongs
				}
			}
		}
		named = named && item.name != ""
		items = append(items, item)
	}
	if named && c.at(1) == "verdicts" {
		slices.SortStableFunc(items, func(a, b listItem) int { return strings.Compare(a.name, b.name) })
	}
	return items, named
}

// maxCells bounds the table of [align]. Longer lists are compared by places.
const maxCells = 1 << 22

// samePairs returns the places of the items that are compared with each other, in order. named says whether all items say what they are.
func samePairs(old, now []listItem, named bool) (pairs [][2]int) {
	same := func(a, b listItem) bool { return a.name == b.name }
	if named && !slices.EqualFunc(old, now, same) && len(old)*len(now) <= maxCells {
		return align(described(old), described(now))
	}
	for i := range min(len(old), len(now)) {
		pairs = append(pairs, [2]int{i, i})
	}
	return pairs
}

// described fills in all that is in the items, which [align] alone needs.
func described(items []listItem) []listItem {
	for i := range items {
		items[i].all = written(items[i].value)
	}
	return items
}

// always holds the fields that differ between two runs of one test, whatever was tested: who
// made the report of which files, moments, packet numbers, and what hosts draw at random. Texts
// for people repeat such numbers; codes stand beside them.
var always = []string{
	"made_by", "captures", "file", "sha256", "clock", "hosts",
	"start", "first", "last", "t_s", "start_s", "end_s", "first_s", "last_s",
	"packet", "offset",
	"port", "token", "token_a", "token_b", "cookie", "cookie_given",
	"text", "headline", "parameters", "detail", "message", "what", "remedy", "vantage_evidence", "fallback", "unavailable",
}

// kept returns a value without what Normalise leaves out.
func kept(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, of := range v {
			if !slices.Contains(always, name) {
				out[name] = kept(of)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = kept(v[i])
		}
		return out
	}
	return v
}

// align pairs the items of two lists by what they are, as their longest common subsequence. Of several
// it takes the one with the most equal items. An item of the same subflow and direction counts half.
func align(a, b []listItem) (pairs [][2]int) {
	n, m := len(a), len(b)
	most := 2*min(n, m) + 1 // a further pair counts more than any likeness
	score := func(i, j int) int {
		switch {
		case a[i].name != b[j].name:
			return 0
		case a[i].all == b[j].all:
			return most + 2
		case a[i].belongs == b[j].belongs:
			return most + 1
		}
		return most
	}
	best := make([]int, (n+1)*(m+1)) // [i*(m+1)+j] is the best of a[i:] and b[j:]
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			at := i*(m+1) + j
			best[at] = max(best[at+1], best[at+m+1])
			if s := score(i, j); s > 0 {
				best[at] = max(best[at], s+best[at+m+2])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		at := i*(m+1) + j
		switch s := score(i, j); {
		case s > 0 && best[at] == s+best[at+m+2]:
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case best[at] == best[at+m+1]:
			i++
		default:
			j++
		}
	}
	return pairs
}
