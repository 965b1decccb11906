package diff

import (
	"slices"
	"strconv"
)

// lists compares the items of two lists. Items that say what they are are compared with their like, whatever the order: with one that is
// equal, or else with the next one of the same kind, subflow and direction. So one event more makes no others differ. Items that do
// not say so are compared by their places. The path of an item has its place in the old list, that of an added one its place in the new list.
func (c *comparer) lists(old, now []any) {
	names := []func(at int, v any) string{equal, like}
	unnamed := func(v any) bool { return like(0, v) == "" }
	if slices.ContainsFunc(old, unnamed) || slices.ContainsFunc(now, unnamed) {
		names = []func(int, any) string{func(at int, _ any) string { return strconv.Itoa(at) }}
	}
	partner, taken := map[int]int{}, map[int]bool{} // places
	for _, name := range names {
		free := map[string][]int{} // by name, ascending
		for j, v := range now {
			if !taken[j] {
				key := name(j, v)
				free[key] = append(free[key], j)
			}
		}
		for i, v := range old {
			key := name(i, v)
			if _, paired := partner[i]; !paired && len(free[key]) > 0 {
				partner[i], taken[free[key][0]], free[key] = free[key][0], true, free[key][1:]
			}
		}
	}
	item := func(place int, old, now any, before, after bool) {
		c.path = append(c.path, "["+strconv.Itoa(place)+"]")
		c.either(old, now, before, after)
		c.path = c.path[:len(c.path)-1]
	}
	for i, v := range old {
		if j, paired := partner[i]; paired {
			item(i, v, now[j], true, true)
		} else {
			item(i, v, nil, true, false)
		}
	}
	for j, v := range now {
		if !taken[j] {
			item(j, nil, v, false, true)
		}
	}
}

// like names what an item is and where it belongs: a connection or a subflow, an event, a verdict or a warning; empty where it
// does not say so.
func like(_ int, v any) string {
	of, _ := v.(map[string]any)
	for _, field := range []string{"id", "kind", "code"} {
		if of[field] != nil {
			return field + written([]any{of[field], of["subflow"], of["direction"]})
		}
	}
	return ""
}

// equal names all that is in an item. What has an id has no equal but itself, and may be large.
func equal(at int, v any) string {
	if v.(map[string]any)["id"] != nil {
		return like(at, v)
	}
	return written(v)
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
