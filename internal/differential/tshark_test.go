package differential

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/decode"
	"mpanalyze/internal/packet"
)

// What tshark is asked for besides the columns.
const (
	rawOptions    = "tcp.options"
	expectedToken = "mptcp.expected_token"
)

// asked are all fields that tshark is asked for, in their order.
var asked = append(columns[:len(columns):len(columns)], rawOptions, expectedToken)

// tsharkArgs read a capture from standard input in a single pass: a second
// pass turns the numbers of joined subflows into nonsense.
func tsharkArgs() []string {
	args := []string{
		"-n", "-r", "-", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,",
		"-o", "tcp.relative_sequence_numbers:FALSE", "-o", "tcp.desegment_tcp_streams:FALSE",
	}
	for _, f := range asked {
		args = append(args, "-e", f)
	}
	return args
}

// TestTshark compares every field of every packet, and the tokens.
func TestTshark(t *testing.T) {
	compared(t, "tshark", tsharkExceptions, func(t *testing.T, name, path string, used *uses) {
		c := &tsharkComparer{t: t, name: name, used: used, want: newRow(), tokens: theirTokens{tokens{}, map[string]senderKey{}}}
		c.run(path)
	})
}

// tsharkComparer compares our reading of one capture with tshark's.
type tsharkComparer struct {
	t       *testing.T
	name    string
	used    *uses
	source  *capture.Source
	decoder *decode.Decoder
	// early holds what was delivered before its turn in the file: a pcapng
	// file with several interfaces is read in the order of time. It is empty
	// for other files, and else bounded as that reordering is.
	early   map[uint64]decoded
	want    row
	tokens  theirTokens
	packets uint64
	failed  int
}

// decoded is a packet as we read it.
type decoded struct {
	outcome decode.Outcome
	seg     packet.Segment
}

// maxFailures is for how many packets of a capture the difference is printed in full.
const maxFailures = 10

func (c *tsharkComparer) run(path string) {
	source, err := capture.Open([]string{path}, capture.Options{})
	if err != nil {
		c.t.Fatal(err)
	}
	defer source.Close()
	c.source, c.decoder, c.early = source, decode.New(decode.Options{KeepDuplicates: true}), map[uint64]decoded{}
	switch err := lines(c.t, unpacked(c.t, path), c.line, "tshark", tsharkArgs()...); {
	case err != nil && c.packets == 0:
		unreadable(c.t, path, "tshark", err)
	case err != nil:
		c.t.Fatalf("tshark, after %d packets: %v", c.packets, err)
	}
	if c.failed > maxFailures {
		c.t.Errorf("%d packets differ", c.failed)
	}
	var raw capture.Raw
	if err := source.Next(&raw); !errors.Is(err, io.EOF) || len(c.early) > 0 {
		c.t.Errorf("tshark shows %d packets and we find more (%v)", c.packets, err)
	}
	c.tokens.compare(c.t, c.name, path, c.used)
}

// line takes what tshark prints of one packet.
func (c *tsharkComparer) line(line []byte) bool {
	got := bytes.Split(line, []byte("\t"))
	if len(got) != len(asked) {
		c.t.Errorf("tshark prints %d fields, want %d: %s", len(got), len(asked), line)
		return false
	}
	c.packets++
	ours, err := c.packet(c.packets)
	if err != nil {
		c.t.Errorf("tshark shows a packet %d, we do not: %v", c.packets, err)
		return false
	}
	c.want.clear()
	if ours.outcome != decode.TCP {
		// Of what is no TCP tshark shows fields that nobody compares, but no port.
		if port := got[place["tcp.srcport"]]; len(port) > 0 {
			c.fail(difference{column: "tcp.srcport", theirs: string(port), ours: ours.outcome.String()})
		}
		return true
	}
	c.want.segment(&ours.seg)
	c.want.options(&ours.seg, dssPlace(got[place[option("subtype")]]))
	c.compare(&ours.seg, got)
	c.tokens.add(&ours.seg, got[len(columns)+1], got[place[option("recvtok")]], got[place[option("sendkey")]], got[place[option("version")]])
	return true
}

// packet returns the n-th packet of the file.
func (c *tsharkComparer) packet(n uint64) (d decoded, err error) {
	if d, ok := c.early[n]; ok {
		delete(c.early, n)
		return d, nil
	}
	var raw capture.Raw
	for {
		if err := c.source.Next(&raw); err != nil {
			return d, err
		}
		d.outcome = c.decoder.Decode(&raw, &d.seg)
		if raw.FileNum == n {
			return d, nil
		}
		early := d
		c.early[raw.FileNum] = early
	}
}

// compare compares one packet of TCP with what tshark says of it.
func (c *tsharkComparer) compare(s *packet.Segment, got [][]byte) {
	differs := false
	for i, want := range c.want {
		if bytes.Equal(want, got[i]) {
			continue
		}
		d := difference{
			capture: c.name, packet: c.packets, segment: s,
			column: columns[i], ours: string(want), theirs: string(got[i]), options: string(got[len(columns)]),
		}
		if !excused(c.used, tsharkExceptions, &d) {
			differs = true
			if c.failed < maxFailures {
				c.t.Errorf("packet %d: %s", c.packets, d)
			}
		}
	}
	if differs {
		c.failed++
	}
}

func (c *tsharkComparer) fail(d difference) {
	if c.failed++; c.failed <= maxFailures {
		c.t.Errorf("packet %d: %s", c.packets, d)
	}
}

// difference is one value that the two read differently.
type difference struct {
	capture      string
	packet       uint64 // number in the file
	segment      *packet.Segment
	column       string
	ours, theirs string
	options      string    // the TCP options in hexadecimal, as tshark saw them
	madeOf       senderKey // of a token
}

func (d difference) String() string {
	return fmt.Sprintf("%s: %q, tshark %q; options %s", d.column, d.ours, d.theirs, d.options)
}

// dssPlace returns how many options tshark saw before the first DSS.
func dssPlace(subtypes []byte) int {
	before, _, ok := bytes.Cut(subtypes, []byte("2"))
	if !ok {
		return 0
	}
	return bytes.Count(before, []byte(","))
}
