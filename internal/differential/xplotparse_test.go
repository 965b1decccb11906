package differential

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const xplotSample = "timeval double\ntitle\nc2s - Time sequence\nxlabel\nTime\nylabel\nSequence number\n" +
	"1\nline 1.5 10 1.5 20 \natext 1.5 20\n R\n2\ndiamond 2.0 20\nline 1 2 3 4 red\ngo\nwhat follows is not read\n"

func TestParseXplot(t *testing.T) {
	got, err := parseXplot(strings.NewReader(xplotSample))
	if err != nil {
		t.Fatal(err)
	}
	want := &Plot{
		X: "timeval", Y: "double", Title: "c2s - Time sequence", XLabel: "Time", YLabel: "Sequence number",
		Objects: []Object{
			{"line", []string{"1.5", "10", "1.5", "20"}, "1", ""},
			{"atext", []string{"1.5", "20"}, "1", " R"},
			{"diamond", []string{"2.0", "20"}, "2", ""},
			{"line", []string{"1", "2", "3", "4"}, "red", ""},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseXplotErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "no axis types",
		"title\nx\n":                         `line 1: "title": want the types of two axes`,
		"timeval double\nblob 1 2\n":         `line 2: "blob" is neither an object nor a colour`,
		"timeval double\ndot 1\n":            "line 2: dot: want 2 coordinates",
		"timeval double\nline 1 2 3 4 5 6\n": "line 2: line: want 4 coordinates",
		"timeval double\ndot 1 x\n":          `coordinate "x" is no number`,
		"timeval double\natext 1 2\n":        "the file ends where its text should stand",
		"timeval double\ntitle\n":            "title: the file ends",
	} {
		if _, err := parseXplot(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// FuzzParseXplot: no file makes the parser fail otherwise than with an error,
// and what it accepts has numbers for coordinates.
func FuzzParseXplot(f *testing.F) {
	f.Add([]byte(xplotSample))
	f.Add([]byte("dtime signed\ngreen\ndot 1 2 yellow\nrtext 3 4\n1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := parseXplot(bytes.NewReader(text))
		if err != nil {
			return
		}
		for i := range p.Objects {
			o := &p.Objects[i]
			if v, err := o.Values(); err != nil || len(v) != 2*points[o.Kind] {
				t.Errorf("%+v: %v, %v", o, v, err)
			}
		}
	})
}
