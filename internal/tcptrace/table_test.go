package tcptrace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// exchange is a connection of a request, an answer and FINs.
const exchange = handshake + `30 a PA 1001+100 ack=5001 win=1000
40 b A 5001+300 ack=1101 win=1000
41 a FA 1101 ack=5301 win=1000
61 b FA 5301 ack=1102 win=1000
`

var everything = Format{RTT: true, Owin: true}

// What is written is read back as it was, in each format.
func TestRoundTrip(t *testing.T) {
	pairs := []*Pair{play(t, exchange), play(t, "0 a S 1000 win=4000")}
	want := everything.Table(pairs)
	c := Capture{Files: []string{"x.pcap"}, Packets: 8, First: 0, Last: 61e6}
	for name, separator := range map[string]string{"long": "", "csv": ",", "tsv": "\t", "sv": " | "} {
		t.Run(name, func(t *testing.T) {
			f := everything
			f.Separator = separator
			var out bytes.Buffer
			assert.NilError(t, Write(&out, c, pairs, f))
			got, err := Parse(bytes.NewReader(out.Bytes()))
			if err != nil {
				t.Fatalf("%v\n%s", err, &out)
			}
			assert.Check(t, is.DeepEqual(got.Columns, want.Columns), "columns")
			if list := Diff(got, want); len(list) > 0 || len(got.Rows) != 2 {
				t.Errorf("%d rows, differences %v", len(got.Rows), list)
			}
		})
	}
}

func TestLongLayout(t *testing.T) {
	var out bytes.Buffer
	assert.NilError(t, Write(&out, Capture{Files: []string{"x.pcap"}, Packets: 9, Last: 61e6}, []*Pair{play(t, exchange)}, Format{}))
	for _, want := range []string{
		"9 packets seen, 7 TCP packets traced\n", "1 TCP connection traced:\n", "TCP connection 1:\n",
		"\thost a:        10.0.0.1:1000\n\thost b:        10.0.0.2:80\n\tcomplete conn: yes\n",
		"\telapsed time:  0:00:00.061000\n\ttotal packets: 7\n", "   a->b:\t\t\t      b->a:\n",
		"     unique bytes sent:       100           unique bytes sent:       300      \n",
		"     idletime max:           20.0 ms        idletime max:           21.0 ms   \n",
	} {
		assert.Check(t, strings.Contains(out.String(), want), "no %q in\n%s", want, &out)
	}
	if strings.Contains(out.String(), "resets sent") || strings.Contains(out.String(), "RTT") || strings.Contains(out.String(), "owin") {
		t.Errorf("lines that nothing asks for in\n%s", &out)
	}
}

// TestState: a connection is complete with a SYN and a FIN of both ends. Otherwise the ends that sent one are counted.
func TestState(t *testing.T) {
	fin := handshake + "30 b FA 5001 ack=1001 win=1000\n31 b FA 5001 ack=1001 win=1000\n"
	for text, want := range map[string]string{
		exchange:                 "yes",
		exchange + "70 b R 5302": "RESET",
		handshake:                "no\t(SYNs: 2)  (FINs: 0)",
		fin:                      "no\t(SYNs: 2)  (FINs: 1)",
		fin + "70 a R 1001":      "RESET\t(SYNs: 2)  (FINs: 1)",
		exchange[strings.Index(exchange, "20 b"):]: "no\t(SYNs: 1)  (FINs: 2)",
	} {
		var out bytes.Buffer
		assert.NilError(t, Write(&out, Capture{Files: []string{"x"}}, []*Pair{play(t, text)}, Format{}))
		assert.Check(t, strings.Contains(out.String(), "\tcomplete conn: "+want+"\n"), "%s: want %q in\n%s", text, want, &out)
	}
}

// TestHMS: hours have no leading zeros.
func TestHMS(t *testing.T) {
	if got := hms(((25*60+7)*60+9)*1e6 + 12); got != "25:07:09.000012" {
		t.Errorf("25 h, 7 min, 9 s and 12 us are %s", got)
	}
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		f    Format
		want int
	}{{Format{}, 89 + 0}, {Format{Owin: true}, 97}, {Format{RTT: true}, 139}, {everything, 147}} {
		if got := len(c.f.columns()); got != c.want {
			t.Errorf("%+v: %d columns, tcptrace has %d", c.f, got, c.want)
		}
	}
}

func TestLetters(t *testing.T) {
	for n, want := range map[int]string{0: "a", 25: "z", 26: "aa", 27: "ab", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := letters(n); got != want {
			t.Errorf("host %d is %s, want %s", n, got, want)
		}
	}
}

// quirky is the form in which tcptrace prints.
const quirky = "#1 arg remaining, starting with 'x.pcap'\n#Ostermann's tcptrace\n\n" +
	"conn_#,host_a,host_b,port_a,port_b,first_packet,last_packet,total_packets_a2b,total_packets_b2a,\n\n" +
	"1,10.0.0.1,2001:0db8:0000:0000:0000:0000:0000:0001,1000,80,12.67833 , 13.5 ,              4,              3,\n90\n"

func TestQuirks(t *testing.T) {
	got, err := Parse(strings.NewReader(quirky))
	assert.NilError(t, err)
	want := &Table{
		Columns: []string{"conn_#", "host_a", "host_b", "port_a", "port_b", "first_packet", "last_packet", "total_packets_a2b", "total_packets_b2a"},
		Rows: []Row{{
			"conn_#": "1", "host_a": "10.0.0.1", "host_b": "2001:0db8:0000:0000:0000:0000:0000:0001", "port_a": "1000", "port_b": "80",
			"first_packet": "12.67833", "last_packet": "13.5", "total_packets_a2b": "4", "total_packets_b2a": "3",
		}},
	}
	assert.Check(t, is.DeepEqual(got, want))
	ours := &Table{Columns: want.Columns, Rows: []Row{{
		"host_a": "2001:db8::1", "host_b": "10.0.0.1", "port_a": "80", "port_b": "1000",
		"first_packet": "12.067833", "last_packet": "13.000006", "total_packets_a2b": "3", "total_packets_b2a": "5",
	}}}
	differences := Diff(got, ours)
	for i := range differences {
		differences[i].Connection = ""
	}
	if diff := cmp.Diff([]Difference{
		{Number: 1, Column: "last_packet", Theirs: "13.5", Ours: "13.000006"},
		{Number: 1, Column: "total_packets_b2a", Theirs: "4", Ours: "5"},
	}, differences); diff != "" {
		t.Errorf("differences (-want +got)\n%s", diff)
	}
}

func TestDiffOfConnections(t *testing.T) {
	columns := []string{"conn_#", "host_a", "host_b", "port_a", "port_b", "first_packet"}
	row := func(n, a string) Row {
		return Row{"conn_#": n, "host_a": a, "host_b": "10.0.0.9", "port_a": "1", "port_b": "2", "first_packet": n + ".0"}
	}
	theirs := &Table{columns, []Row{row("1", "10.0.0.1"), row("2", "client.example"), row("3", "10.0.0.3")}}
	ours := &Table{columns, []Row{row("1", "10.0.0.1"), row("2", "10.0.0.2"), row("3", "10.0.0.4")}}
	var got []string
	for _, d := range Diff(theirs, ours) {
		got = append(got, d.String())
	}
	want := []string{
		"10.0.0.4:1 - 10.0.0.9:2: no connection theirs, one ours",
		"10.0.0.3:1 - 10.0.0.9:2: one theirs, no connection ours",
	}
	assert.Check(t, is.DeepEqual(got, want))
}

// TestDiffPutsBothInOrder: two connections of the same ends, the later one
// first in both tables, or in one of them.
func TestDiffPutsBothInOrder(t *testing.T) {
	columns := []string{"conn_#", "host_a", "host_b", "port_a", "port_b", "first_packet", "total_packets_a2b"}
	row := func(first, packets string) Row {
		return Row{"host_a": "10.0.0.1", "host_b": "10.0.0.9", "port_a": "1", "port_b": "2", "first_packet": first, "total_packets_a2b": packets}
	}
	early, late := row("1.0", "10"), row("2.0", "20")
	forwards, backwards := &Table{columns, []Row{early, late}}, &Table{columns, []Row{late, early}}
	for _, pair := range [][2]*Table{{backwards, backwards}, {forwards, backwards}, {backwards, forwards}} {
		if d := Diff(pair[0], pair[1]); d != nil {
			t.Errorf("%v", d)
		}
	}
}

func TestParseErrors(t *testing.T) {
	if _, err := Parse(strings.NewReader("conn_#,host_a,x\n1,9e99,10000000000000000000")); err != nil { // a host may look like a number
		t.Errorf("the largest figure: %v", err)
	}
	for text, want := range map[string]string{
		"":                             "want the output of tcptrace",
		"conn_#\n":                     "line 1: no column host_a",
		"conn_#,host_a,host_b\n1,2":    "line 2: 2 cells, the header has 3",
		strings.Repeat("x", maxLine+1): "token too long",
		"conn_#,host_a,RTT_avg_a2b\n1,infinity,-Infinity":               "line 2: RTT_avg_a2b is -Infinity, which no capture gives",
		"conn_#,host_a,x\n1,a,2\n2,a,NaN":                               "line 3: x is NaN",
		"conn_#,host_a,x\n1,a,-nan":                                     "line 2: x is -nan",
		"conn_#,host_a,x\n1,a,1e999":                                    "line 2: x is 1e999",
		"conn_#,host_a,x\n1,a,99999999999999999999":                     "line 2: x is 99999999999999999999",
		"TCP connection 1:\n     RTT avg:   inf ms   RTT avg:   1.0 ms": "line 2: RTT_avg_a2b is inf",
	} {
		if _, err := Parse(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
}

// FuzzParse: no output makes the parser fail otherwise than with an error, and
// a table compared with itself does not differ.
func FuzzParse(f *testing.F) {
	f.Add([]byte(quirky))
	f.Add([]byte("conn_#,host_a,x\n1,nan,-Infinity\n2,a,1e999\n3,a,NA"))
	for _, separator := range []string{"", ",", "\t"} {
		var out bytes.Buffer
		format := everything
		format.Separator = separator
		assert.NilError(f, Write(&out, Capture{Files: []string{"x"}}, []*Pair{play(f, exchange)}, format))
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := Parse(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, row := range table.Rows {
			row[keyColumns[0]] = "" // numbers need not be in order
		}
		for _, d := range Diff(table, table) {
			assert.Check(t, d.Column == "", "a table differs from itself: %v", d)
		}
	})
}
