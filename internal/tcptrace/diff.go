package tcptrace

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Difference is a cell in which two tables disagree.
type Difference struct {
	Connection   string // "host:port - host:port" as in the second table
	Number       int    // its place in the second table, from 1
	Column       string // "" if one of the tables does not have the connection
	Theirs, Ours string
}

// String tells the difference in a line.
func (d Difference) String() string {
	if d.Column == "" {
		return fmt.Sprintf("%s: %s theirs, %s ours", d.Connection, d.Theirs, d.Ours)
	}
	return fmt.Sprintf("connection %d, %s: %s: %s theirs, %s ours", d.Number, d.Connection, d.Column, d.Theirs, d.Ours)
}

// Meant reports whether this program makes the difference on purpose: tcptrace takes the
// statistics of full-size segments from SYN and FIN.
func (d *Difference) Meant() bool {
	column := strings.TrimPrefix(d.Column, "RTT ") // tcptrace writes a blank into the name of one column
	return strings.HasPrefix(strings.TrimPrefix(column, "RTT_"), "full_sz_")
}

// Diff compares the columns that both tables have. It matches connections by their ends. If
// several connections have the same ends, it matches them in the order of their first packets.
// If theirs has names of hosts in place of addresses, it matches by number. If the two tables
// disagree on which end is a, it swaps the directions.
func Diff(theirs, ours *Table) (out []Difference) {
	left := byEnds(theirs)
	partners := make([]Row, len(ours.Rows))
	for _, i := range byFirstPacket(ours.Rows) {
		partners[i] = match(left, ours.Rows[i], strconv.Itoa(i+1))
	}
	for i, row := range ours.Rows {
		other := partners[i]
		if other == nil {
			out = append(out, Difference{Connection: row.String(), Number: i + 1, Theirs: "no connection", Ours: "one"})
			continue
		}
		swap := row.end("a") != other.end("a") && row.end("a") == other.end("b")
		for _, column := range ours.Columns {
			if d, differs := compare(other, row, column, swap); differs {
				d.Connection, d.Number = row.String(), i+1
				out = append(out, d)
			}
		}
	}
	for _, row := range theirs.Rows {
		if slices.ContainsFunc(left[row.ends()], func(r Row) bool { return r[keyColumns[0]] == row[keyColumns[0]] }) {
			out = append(out, Difference{Connection: row.String(), Theirs: "one", Ours: "no connection"})
		}
	}
	return out
}

// byEnds groups rows by their pair of ends. The rows of a pair are in the order of their first
// packets.
func byEnds(t *Table) map[string][]Row {
	all := map[string][]Row{}
	for _, i := range byFirstPacket(t.Rows) {
		all[t.Rows[i].ends()] = append(all[t.Rows[i].ends()], t.Rows[i])
	}
	return all
}

// byFirstPacket returns the numbers of the rows in the order of their first
// packets: a table need not be in that order.
func byFirstPacket(rows []Row) []int {
	order := make([]int, len(rows))
	first := make([]int64, len(rows))
	for i, row := range rows {
		order[i], first[i] = i, parseSeconds(row["first_packet"])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(first[a], first[b]) })
	return order
}

// match finds the row that corresponds to ours. It removes it from the lists and returns it, or
// nil if there is none.
func match(left map[string][]Row, ours Row, number string) Row {
	key := ours.ends()
	if list := left[key]; len(list) > 0 {
		left[key] = list[1:]
		return list[0]
	}
	for key, list := range left {
		for i, row := range list {
			if _, err := netip.ParseAddr(row["host_a"]); err != nil && row[keyColumns[0]] == number {
				left[key] = slices.Delete(slices.Clone(list), i, i+1)
				return row
			}
		}
	}
	return nil
}

// compare compares one column. It skips the columns by which rows were matched.
func compare(theirs, ours Row, column string, swap bool) (Difference, bool) {
	if slices.Contains(keyColumns[:5], column) {
		return Difference{}, false
	}
	from := column
	if swap {
		from = opposite(column)
	}
	a, ok := theirs[from]
	b := ours[column]
	switch {
	case !ok || a == b:
		return Difference{}, false
	case strings.HasSuffix(column, "_packet") && parseSeconds(a) == parseSeconds(b):
		return Difference{}, false
	}
	return Difference{Column: column, Theirs: a, Ours: b}, true
}

// opposite returns the column of the other direction.
func opposite(column string) string {
	for i := range fields {
		switch column {
		case fields[i].name("a2b"):
			return fields[i].name("b2a")
		case fields[i].name("b2a"):
			return fields[i].name("a2b")
		}
	}
	return column
}

// parseSeconds reads a time in seconds, and returns us, or -1 if the text is no time. tcptrace
// does not pad microseconds with zeros: the digits after the point are a number of microseconds.
func parseSeconds(text string) int64 {
	whole, part, _ := strings.Cut(text, ".")
	s, err := strconv.ParseInt(whole, 10, 40)
	if err != nil {
		return -1
	}
	us, err := strconv.ParseInt(part, 10, 32)
	if err != nil {
		return -1
	}
	return s*1e6 + us
}

// end returns one end. tcptrace writes IPv6 addresses with leading zeros.
func (r Row) end(side string) string {
	host := r["host_"+side]
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.Unmap().String()
	}
	return net.JoinHostPort(host, r["port_"+side])
}

// ends returns a text for the pair of ends. It does not depend on their order.
func (r Row) ends() string {
	a, b := r.end("a"), r.end("b")
	return min(a, b) + " " + max(a, b)
}

// String names the connection.
func (r Row) String() string { return r.end("a") + " - " + r.end("b") }
