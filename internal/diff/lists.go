package diff

import (
	"encoding/json"
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
	old, oldPlaces := c.ordered(old)
	now, nowPlaces := c.ordered(now)
	item := func(place int, a, b any, before, after bool) {
		c.path = append(c.path, "["+strconv.Itoa(place)+"]")
		c.either(a, b, before, after)
		c.path = c.path[:len(c.path)-1]
	}
	upTo := func(toOld, toNow int) {
		for ; i < toOld; i++ {
			item(oldPlaces[i], old[i], nil, true, false)
		}
		for ; j < toNow; j++ {
			item(nowPlaces[j], nil, now[j], false, true)
		}
	}
	for _, p := range c.samePairs(old, now) {
		upTo(p[0], p[1])
		item(oldPlaces[i], old[i], now[j], true, true)
		i, j = i+1, j+1
	}
	upTo(len(old), len(now))
}

// ordered returns the items of a list in the order in which they are compared, and their places in the list.
func (c *comparer) ordered(list []any) (items []any, places []int) {
	names := thingsOf(list)
	for i := range list {
		places = append(places, i)
	}
	if c.at(1) == "verdicts" && names != nil {
		slices.SortStableFunc(places, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	}
	for _, i := range places {
		items = append(items, list[i])
	}
	return items, places
}

// samePairs returns the places of the items that are compared with each other, in order.
func (c *comparer) samePairs(old, now []any) (pairs [][2]int) {
	a, b := thingsOf(old), thingsOf(now)
	least := min(len(old), len(now))
	if a == nil || b == nil || slices.Equal(a, b) || len(old)*len(now) > maxCells {
		for i := range least {
			pairs = append(pairs, [2]int{i, i})
		}
		return pairs
	}
	return align(describe(old, a), describe(now, b))
}

// maxCells bounds the table of [align]. Longer lists are compared by places.
const maxCells = 1 << 22

// thingsOf returns what each item of a list is; nil where an item does not say so, or there is none.
func thingsOf(list []any) (names []string) {
	for _, v := range list {
		object, _ := v.(map[string]any)
		name := ""
		for _, field := range []string{"id", "kind", "code"} { // connections and subflows; events; verdicts and warnings
			if of := object[field]; of != nil {
				name = field + " " + written(of)
				if field == "code" { // a verdict on another subflow is another one
					name += written([]any{object["subflow"], object["direction"]})
				}
				break
			}
		}
		if name == "" {
			return nil
		}
		names = append(names, name)
	}
	return names
}

// listItem is an item of a list: what it is, where it belongs, and all that is in it.
type listItem struct{ name, place, text string }

// describe describes the items of a list.
func describe(list []any, names []string) (items []listItem) {
	for i, v := range list {
		object := v.(map[string]any)
		place, _ := json.Marshal([]any{object["subflow"], object["direction"]}) // it was JSON before
		text, _ := json.Marshal(v)
		items = append(items, listItem{names[i], string(place), string(text)})
	}
	return items
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
		case a[i].text == b[j].text:
			return most + 2
		case a[i].place == b[j].place:
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
