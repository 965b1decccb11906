package tcptrace

import (
	"bufio"
	"fmt"
	"io"
	"net/netip"
	"strings"
	"time"

	"mpanalyze/internal/packet"
	"mpanalyze/internal/textwrap"
)

// Format says what to write about the connections.
type Format struct {
	Separator string // between values; "" for the long output
	RTT       bool   // round-trip times and the other figures of option -r
	Owin      bool   // outstanding data, option -W
}

// Capture is what the output says about the captures themselves.
type Capture struct {
	Files       []string
	Packets     int64 // read, of any protocol
	First, Last int64 // times of the first and last packet, ns since the Unix epoch
}

// Write prints connections as tcptrace does, in their order. It does not copy these faults of
// tcptrace: times without leading zeros behind the decimal point; blanks around values and
// before the separator behind a time; one separator and one empty line too many; statistics of
// full-size segments that come from SYN and FIN; a negative missed length that is printed as a
// number near 2^64; and the line with the computer's speed, which differs in every run.
func Write(w io.Writer, c Capture, pairs []*Pair, f Format) error {
	b := bufio.NewWriter(w)
	comment := ""
	if f.Separator != "" {
		comment = "#"
	}
	preamble(b, c, pairs, comment)
	if f.Separator != "" {
		f.separated(b, pairs)
	} else {
		f.long(b, c, pairs)
	}
	return b.Flush()
}

func preamble(b *bufio.Writer, c Capture, pairs []*Pair, comment string) {
	var traced int64
	for _, p := range pairs {
		traced += p.packets()
	}
	fmt.Fprintf(b, "%s%s remaining, starting with '%s'\n", comment, textwrap.Count(len(c.Files), "arg"), c.Files[0])
	fmt.Fprintf(b, "%smpanalyze -- in the manner of tcptrace version 6.6.7\n\n", comment)
	fmt.Fprintf(b, "%s%d packets seen, %d TCP packets traced\n", comment, c.Packets, traced)
	fmt.Fprintf(b, "%strace file elapsed time: %s\n", comment, hms((c.Last-c.First)/1000))
	fmt.Fprintf(b, "%sTCP connection info:\n%s%s traced:\n", comment, comment, textwrap.Count(len(pairs), "TCP connection"))
}

// hms prints us as hours, minutes and seconds.
func hms(us int64) string {
	s := us / 1e6
	return fmt.Sprintf("%d:%02d:%02d.%06d", s/3600, s/60%60, s%60, us%1e6)
}

// separated prints a table.
func (f Format) separated(b *bufio.Writer, pairs []*Pair) {
	b.WriteString(strings.Join(f.columns(), f.Separator) + "\n")
	for i, p := range pairs {
		b.WriteString(strings.Join(f.cells(p, i+1), f.Separator) + "\n")
	}
}

// keyColumns are the columns before the figures.
var keyColumns = []string{"conn_#", "host_a", "host_b", "port_a", "port_b", "first_packet", "last_packet"}

// has reports whether the field is printed.
func (f Format) has(d *field) bool {
	return d.group == groupBase || d.group == groupRTT && f.RTT || d.group == groupOwin && f.Owin
}

func (f Format) columns() []string {
	out := append([]string(nil), keyColumns...)
	for i := range fields {
		if d := &fields[i]; f.has(d) {
			out = append(out, d.name("a2b"), d.name("b2a"))
		}
	}
	return out
}

// cells returns the values of connection number n in the order of columns.
func (f Format) cells(p *Pair, n int) []string {
	a, b := p.Ends[0], p.Ends[1]
	out := []string{
		fmt.Sprint(n), address(a), address(b), fmt.Sprint(a.Port), fmt.Sprint(b.Port), secondsText(unix(p.First)), secondsText(unix(p.Last)),
	}
	for i := range fields {
		if d := &fields[i]; f.has(d) {
			out = append(out, d.value(p, &p.Dirs[0]), d.value(p, &p.Dirs[1]))
		}
	}
	return out
}

// Table returns the connections in the form in which [Parse] returns those of tcptrace.
func (f Format) Table(pairs []*Pair) *Table {
	t := &Table{Columns: f.columns()}
	for i, p := range pairs {
		row := Row{}
		for j, cell := range f.cells(p, i+1) {
			row[t.Columns[j]] = cell
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

func address(e packet.Endpoint) string { return netip.AddrFrom16(e.Addr).Unmap().String() }

// endpoint returns an end as tcptrace writes it.
func endpoint(e packet.Endpoint) string { return fmt.Sprintf("%s:%d", address(e), e.Port) }

// secondsText prints us since the Unix epoch as seconds.
func secondsText(us int64) string { return string(appendTime(nil, us)) }

// letters returns the name of the n-th host, from 0: a to z, aa, ab and so on.
func letters(n int) string {
	var name []byte
	for n++; n > 0; n = (n - 1) / 26 {
		name = append([]byte{'a' + byte((n-1)%26)}, name...)
	}
	return string(name)
}

const separatorLine = "================================\n"

// long prints the long output, with two columns per connection.
func (f Format) long(b *bufio.Writer, c Capture, pairs []*Pair) {
	for i, p := range pairs {
		if i > 0 {
			b.WriteString(separatorLine)
		}
		writeHead(b, c, p, i)
		for j := range fields {
			if d := &fields[j]; f.has(d) && (d.when == nil || d.when(p)) {
				d.line(b, p)
			}
		}
	}
}

// ctimeLayout is how C's ctime prints a time, with microseconds.
const ctimeLayout = "Mon Jan _2 15:04:05.000000 2006"

// writeHead prints the lines above the figures of a connection.
func writeHead(b *bufio.Writer, c Capture, p *Pair, i int) {
	a, z := letters(2*i), letters(2*i+1)
	fmt.Fprintf(b, "TCP connection %d:\n", i+1)
	fmt.Fprintf(b, "\thost %-4s      %s\n\thost %-4s      %s\n", a+":", endpoint(p.Ends[0]), z+":", endpoint(p.Ends[1]))
	state := "no"
	if p.complete() {
		state = "yes"
	}
	if p.reset() {
		state = "RESET"
	}
	if !p.complete() {
		state += fmt.Sprintf("\t(SYNs: %d)  (FINs: %d)", countNonZero(p.Dirs[0].SYNs, p.Dirs[1].SYNs), countNonZero(p.Dirs[0].FINs, p.Dirs[1].FINs))
	}
	fmt.Fprintf(b, "\tcomplete conn: %s\n", state)
	fmt.Fprintf(b, "\tfirst packet:  %s\n\tlast packet:   %s\n", time.UnixMicro(unix(p.First)).Format(ctimeLayout), time.UnixMicro(unix(p.Last)).Format(ctimeLayout))
	fmt.Fprintf(b, "\telapsed time:  %s\n\ttotal packets: %d\n", hms(p.elapsed()), p.packets())
	fmt.Fprintf(b, "\tfilename:      %s\n", c.Files[0])
	fmt.Fprintf(b, "   %s->%s:\t\t\t      %s->%s:\n", a, z, z, a)
}

// countNonZero returns how many of two counts are not 0.
func countNonZero(a, b int64) int { return int(min(a, 1) + min(b, 1)) }

// linesAbove are lines that the long output has above the line of a field.
var linesAbove = map[string]string{
	"RTT samples": "\n", "RTT from 3WHS": "\n", "RTT full_sz smpls": "\n", "post-loss acks": "\n",
	"ambiguous acks": "\t  For the following 5 RTT statistics, only ACKs for\n" +
		"\t  multiply-transmitted segments (ambiguous ACKs) were\n" +
		"\t  considered.  Times are taken from the last instance\n" +
		"\t  of a segment.\n",
}

// line prints a field of both directions.
func (d *field) line(b *bufio.Writer, p *Pair) {
	b.WriteString(linesAbove[d.label])
	for i := range p.Dirs {
		value, unit := d.value(p, &p.Dirs[i]), d.unit
		if value == missing && d.label != "idletime max" {
			unit = ""
		}
		fmt.Fprintf(b, "     %-18s %9s %-5s", d.label+":", value, unit)
	}
	b.WriteByte('\n')
	if d.label == "hardware dups" {
		b.WriteString("       ** WARNING: presence of hardware duplicates makes these figures suspect!\n")
	}
}
