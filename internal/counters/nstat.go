package counters

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Write writes counters as nstat does: a header, then a line for each counter that is not zero.
// With all, it also writes zeros, and counters that the capture cannot show, with "-" and the
// reason.
func Write(w io.Writer, list []Counter, all bool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "#kernel")
	for _, c := range list {
		switch {
		case c.Why == "" && (all || c.Value != 0):
			fmt.Fprintf(out, "%-32s%-16d%6.1f\n", c.Name, c.Value, 0.0)
		case c.Why != "" && all:
			fmt.Fprintf(out, "%-32s%-16s# %s\n", c.Name, "-", c.Why)
		}
	}
	return out.Flush()
}

// WriteJSON writes counters as nstat --json does, zeros too. With all, the member "absent" says
// why each of the other counters is missing.
func WriteJSON(w io.Writer, list []Counter, all bool) error {
	var b bytes.Buffer
	b.WriteString(`{"kernel":{`)
	appendObject(&b, list, func(c *Counter) (any, bool) { return c.Value, c.Why == "" })
	b.WriteByte('}')
	if all {
		b.WriteString(`,"absent":{`)
		appendObject(&b, list, func(c *Counter) (any, bool) { return c.Why, c.Why != "" })
		b.WriteByte('}')
	}
	b.WriteString("}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// appendObject writes the members of an object in the order of the counters.
func appendObject(b *bytes.Buffer, list []Counter, value func(*Counter) (v any, wanted bool)) {
	first := true
	for i := range list {
		v, wanted := value(&list[i])
		if !wanted {
			continue
		}
		if !first {
			b.WriteByte(',')
		}
		first = false
		text, _ := json.Marshal(v) // a number or a text
		fmt.Fprintf(b, "%q:%s", list[i].Name, text)
	}
}

// maxNstat bounds the output of nstat that is read, in bytes.
const maxNstat = 16 << 20

// Parse reads the output of nstat, as text or with --json, and returns the counters of Multipath
// TCP. Counters that nstat left out are zero and not in the result.
func Parse(r io.Reader) (map[string]int64, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxNstat+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxNstat {
		return nil, fmt.Errorf("more than %d MiB: no output of nstat", maxNstat>>20)
	}
	text = bytes.TrimSpace(text)
	if bytes.HasPrefix(text, []byte("{")) {
		return parseJSON(text)
	}
	return parseText(string(text))
}

// parseJSON reads the output of nstat --json.
func parseJSON(text []byte) (map[string]int64, error) {
	var doc map[string]map[string]json.Number
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("no output of nstat --json: %w", err)
	}
	if len(doc) != 1 {
		return nil, fmt.Errorf("no output of nstat --json: %d members, want one, as \"kernel\"", len(doc))
	}
	out := map[string]int64{}
	for _, values := range doc {
		for name, n := range values {
			if err := enter(out, name, n.String()); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// parseText reads the output of nstat.
func parseText(text string) (map[string]int64, error) {
	if !strings.HasPrefix(text, "#") {
		return nil, errors.New("no output of nstat: its first line begins with #, as in #kernel")
	}
	out, n := map[string]int64{}, 0
	for line := range strings.Lines(text) {
		n++
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		f := strings.Fields(line)
		if len(f) < 2 {
			return nil, fmt.Errorf("line %d: %q: want a name and a number", n, strings.TrimSpace(line))
		}
		if f[1] == "-" { // mpanalyze counters --all writes this
			continue
		}
		if err := enter(out, f[0], f[1]); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return out, nil
}

// enter adds a counter to out if it is a counter of Multipath TCP.
func enter(out map[string]int64, name, number string) error {
	if !strings.HasPrefix(name, Prefix) {
		return nil
	}
	v, err := strconv.ParseInt(number, 10, 64)
	if err != nil || v < 0 {
		return fmt.Errorf("%s: %q is no count", name, number)
	}
	if _, twice := out[name]; twice {
		return fmt.Errorf("%s stands there twice", name)
	}
	out[name] = v
	return nil
}

// Difference is a counter with different values in the capture and in nstat.
type Difference struct {
	Name           string
	Nstat, Capture int64
}

// String says both values.
func (d Difference) String() string {
	return fmt.Sprintf("%s: nstat %d, capture %d", d.Name, d.Nstat, d.Capture)
}

// Diff compares the output of nstat with the counters of a capture. It returns the counters that
// differ, in the kernel's order, and how many are the same, zeros too. untold is how many
// counters are not zero in nstat but cannot be shown by the capture. A counter that nstat leaves
// out is zero. If nstat lists zeros, the kernel does not have a counter that is left out, and it
// is not compared.
func Diff(nstat map[string]int64, list []Counter) (differ []Difference, same, untold int) {
	known := map[string]bool{}
	zeros := slices.Contains(slices.Collect(maps.Values(nstat)), 0)
	for _, c := range list {
		known[c.Name] = true
		n, listed := nstat[c.Name]
		switch {
		case zeros && !listed:
		case c.Why != "" && n != 0:
			untold++
		case c.Why != "":
		case n != c.Value:
			differ = append(differ, Difference{c.Name, n, c.Value})
		default:
			same++
		}
	}
	for name, n := range nstat {
		if !known[name] && n != 0 {
			untold++
		}
	}
	return differ, same, untold
}

// WriteDiff writes a table of differences.
func WriteDiff(w io.Writer, list []Difference) error {
	out := bufio.NewWriter(w)
	if len(list) > 0 {
		fmt.Fprintf(out, "%-32s%12s%12s%12s\n", "counter", "nstat", "capture", "difference")
	}
	for _, d := range list {
		fmt.Fprintf(out, "%-32s%12d%12d%+12d\n", d.Name, d.Nstat, d.Capture, d.Capture-d.Nstat)
	}
	return out.Flush()
}
