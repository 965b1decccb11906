package diff

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Options say what counts as a difference.
type Options struct {
	Normalise  bool        // leave out what always differs from run to run
	Tolerances []Tolerance // of those that fit a field, the last one counts
}

// Document is what the command diff writes as JSON.
type Document struct {
	Schema      string       `json:"schema"` // mpanalyze.diff/1
	Old         string       `json:"old"`    // the two files
	New         string       `json:"new"`
	Differences []Difference `json:"differences"`
}

// Difference is a field whose values differ.
type Difference struct {
	Path   string `json:"path"`             // as jq writes it
	Old    Value  `json:"old,omitzero"`     // absent where a document does not have the field
	New    Value  `json:"new,omitzero"`     // the same
	Change string `json:"change,omitempty"` // of a number: by how much; of a verdict or an event in one document alone: what and where
}

// Value is a value as JSON on one line; empty for none.
type Value string

// MarshalJSON implements [json.Marshaler].
func (v Value) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// maxShown bounds how much of a value a line shows, in bytes.
const maxShown = 80

// String returns the value, cut if it is long.
func (v Value) String() string {
	if len(v) > maxShown {
		return strings.ToValidUTF8(string(v[:maxShown]), "") + "..."
	}
	return string(v)
}

// String says in one line what differs.
func (d Difference) String() string {
	change := ""
	if d.Change != "" {
		change = ", " + d.Change
	}
	switch {
	case d.Old != "" && d.New != "":
		return fmt.Sprintf("%s: %v -> %v%s", d.Path, d.Old, d.New, change)
	case d.Change != "":
		return d.Change
	case d.Old == "":
		return fmt.Sprintf("%s: added %v", d.Path, d.New)
	}
	return fmt.Sprintf("%s: removed %v", d.Path, d.Old)
}

// Read reads JSON values. Several make a list, as in a file with a value in each line.
func Read(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // data sequence numbers have 64 bits
	var all []any
	for {
		var v any
		err := d.Decode(&v)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	switch len(all) {
	case 0:
		return nil, errors.New("it is empty")
	case 1:
		return all[0], nil
	}
	return all, nil
}

// Compare returns what differs between two documents that [Read] returned, in the order of the
// paths; what a list has more stands behind its other items.
func Compare(old, now any, o *Options) []Difference {
	c := comparer{options: o}
	if o.Normalise {
		old, now = kept(old), kept(now)
	}
	c.values(old, now)
	return c.found
}

// comparer goes down both documents at once.
type comparer struct {
	options *Options
	path    []string // names of fields; items of lists as "[3]"
	found   []Difference
}

// values compares what stands at the path.
func (c *comparer) values(old, now any) {
	switch old := old.(type) {
	case map[string]any:
		if now, ok := now.(map[string]any); ok {
			c.objects(old, now)
			return
		}
	case []any:
		if now, ok := now.([]any); ok {
			c.lists(old, now)
			return
		}
	case json.Number:
		if now, ok := now.(json.Number); ok {
			c.numbers(old, now)
			return
		}
	}
	if !reflect.DeepEqual(old, now) && !c.free(old, now) {
		c.add(written(old), written(now), "")
	}
}

// objects compares the fields of two objects.
func (c *comparer) objects(old, now map[string]any) {
	names := slices.AppendSeq(slices.Collect(maps.Keys(old)), maps.Keys(now))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		c.path = append(c.path, name)
		a, before := old[name]
		b, after := now[name]
		c.either(a, b, before, after)
		c.path = c.path[:len(c.path)-1]
	}
}

// either compares two values of which one may be missing.
func (c *comparer) either(old, now any, before, after bool) {
	switch {
	case before && after:
		c.values(old, now)
	case c.free(old, now):
	case !before:
		c.add("", written(now), c.newOrGone(now, "new"))
	default:
		c.add(written(old), "", c.newOrGone(old, "gone"))
	}
}

// at returns a part of the path, counted from its end, from 1; empty where it is shorter.
func (c *comparer) at(back int) string {
	if back > len(c.path) {
		return ""
	}
	return c.path[len(c.path)-back]
}

// newOrGone says that a verdict or an event is new or gone; it returns nothing for anything else.
func (c *comparer) newOrGone(v any, what string) string {
	of, ok := v.(map[string]any)
	list := c.at(2)
	if !ok || list != "verdicts" && list != "events" {
		return ""
	}
	where := "connection " + strings.Trim(c.at(3), "[]")
	if c.at(4) == "tcp" {
		where = "TCP " + where
	}
	for _, part := range []struct{ format, field string }{{", subflow %v", "subflow"}, {", %v", "direction"}, {", %v", "severity"}} {
		if value := of[part.field]; value != nil {
			where += fmt.Sprintf(part.format, value)
		}
	}
	if list == "events" {
		return fmt.Sprintf("event %v is %s (%s)", of["kind"], what, where)
	}
	return fmt.Sprintf("verdict %v is %s (%s)", of["code"], what, where)
}

// free reports whether the tolerance lets a number be any other, or none.
func (c *comparer) free(values ...any) bool {
	for _, v := range values {
		if _, number := v.(json.Number); !number && v != nil {
			return false
		}
	}
	t := c.tolerance()
	return t != nil && t.free()
}

// tolerance returns the tolerance that counts here; nil for none.
func (c *comparer) tolerance() *Tolerance {
	for i, t := range slices.Backward(c.options.Tolerances) {
		if t.fits(c.path) {
			return &c.options.Tolerances[i]
		}
	}
	return nil
}

// numbers compares two numbers within the tolerance of the field.
func (c *comparer) numbers(old, now json.Number) {
	if old == now {
		return
	}
	a, err := old.Float64()
	b, err2 := now.Float64()
	if err != nil || err2 != nil { // beyond all that a report can have
		c.add(old.String(), now.String(), "")
		return
	}
	if t := c.tolerance(); t != nil && t.allows(a, b) {
		return
	}
	if a == b && strings.ContainsAny(old.String()+now.String(), ".eE") { // 1 and 1.0; whole numbers may differ although floating-point numbers are the same
		return
	}
	c.add(old.String(), now.String(), change(a, b))
}

// change says by how much a number changed; nothing where floating-point numbers are too coarse.
func change(a, b float64) string {
	if a == b {
		return ""
	}
	text := fmt.Sprintf("%+.6g", b-a)
	if a != 0 && !math.IsInf((b-a)/a, 0) {
		text += fmt.Sprintf(" (%+.3g%%)", (b-a)/math.Abs(a)*100)
	}
	return text
}

func (c *comparer) add(old, now, change string) {
	c.found = append(c.found, Difference{pathText(c.path), Value(old), Value(now), change})
}

// pathText writes a path as jq does.
func pathText(path []string) string {
	return strings.ReplaceAll("."+strings.Join(path, "."), ".[", "[")
}

// written writes a value as JSON on one line.
func written(v any) string {
	text, _ := json.Marshal(v) // it was JSON before
	return string(text)
}
