package counters

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"mpanalyze/internal/hosts"
	"mpanalyze/internal/storage"
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

// Document is what [WriteJSON] writes.
type Document struct {
	Kernel map[string]int64  `json:"kernel"`           // counters by their names, as nstat --json has them
	Absent map[string]string `json:"absent,omitempty"` // why each of the other counters is missing; with --all
	Schema string            `json:"schema"`           // mpanalyze.counters/1; behind the counters, so that the beginning is that of nstat
}

// WriteJSON writes counters as nstat --json does, zeros too, by their names. With all, the member "absent" says
// why each of the other counters is missing.
func WriteJSON(w io.Writer, list []Counter, all bool) error {
	out := Document{Kernel: map[string]int64{}, Absent: map[string]string{}, Schema: "mpanalyze.counters/1"}
	for _, c := range list {
		switch {
		case c.Why == "":
			out.Kernel[c.Name] = c.Value
		case all:
			out.Absent[c.Name] = c.Why
		}
	}
	return json.NewEncoder(w).Encode(out)
}

// Read reads the output of nstat, or what else of a host has its counters (see [hosts.Read]), and returns the counters of Multipath
// TCP. Counters that nstat left out are zero and not in the result.
func Read(name string) (map[string]int64, error) {
	if _, err := storage.Stat(name); err != nil {
		return nil, err
	}
	all, err := hosts.Read([]hosts.Source{{Path: name}}, nil, func(*hosts.Host) func(*hosts.Row) { return nil })
	if err != nil {
		return nil, err
	}
	records, file := all[0].Records[hosts.Nstat], all[0].Files[0]
	if len(records) != 1 || file.Reason != "" {
		return nil, fmt.Errorf("%s: no output of nstat, or not all of it: %s", name, cmp.Or(file.Reason, "it is something else"))
	}
	out := map[string]int64{}
	for name, v := range records[0].Values {
		if strings.HasPrefix(name, Prefix) {
			out[name] = v.N
		}
	}
	return out, nil
}

// Difference is a counter with different values in the capture and in nstat.
type Difference struct {
	Name           string
	Nstat, Capture int64
}

// DiffHead is the head of a table of differences.
var DiffHead = fmt.Sprintf("%-32s%12s%12s%12s\n", "counter", "nstat", "capture", "difference")

// String returns the row of the table.
func (d Difference) String() string {
	return fmt.Sprintf("%-32s%12d%12d%+12d", d.Name, d.Nstat, d.Capture, d.Capture-d.Nstat)
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
