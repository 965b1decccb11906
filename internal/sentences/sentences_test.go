package sentences

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/report"
)

// row is a verdict with the words that it must have; empty ones are not compared.
type row struct {
	report.Verdict
	Version *int      `json:"version"`
	Hosts   [2]string `json:"hosts"`
	Want    struct {
		Headline, Text, Remedy string
	} `json:"want"`
}

// rows reads testdata/verdicts.jsonl. Its first part has verdicts on captured sessions, whose words an
// earlier program made without templates. The other verdicts were written by hand.
func rows(t *testing.T) (all []row) {
	t.Helper()
	file, err := os.Open("testdata/verdicts.jsonl")
	assert.NilError(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r row
		assert.NilError(t, json.Unmarshal(lines.Bytes(), &r), "%s", lines.Text())
		all = append(all, r)
	}
	assert.NilError(t, lines.Err())
	return all
}

// TestWords: the words of a verdict with each form and each advice, made from its facts.
func TestWords(t *testing.T) {
	used := map[string]bool{}
	for _, r := range rows(t) {
		v, w := r.Verdict, Words{}
		c := report.Connection{Version: r.Version, Verdicts: &report.List[report.Verdict]{v}, Subflows: report.List[report.Subflow]{{A: report.Endpoint{Addr: r.Hosts[0]}, B: report.Endpoint{Addr: r.Hosts[1]}}}}
		w.Connection(&c)
		got := (*c.Verdicts)[0]
		meaning := diagnose.Kinds()[v.Code].Parts["meaning"]
		assert.Check(t, got.Headline != meaning && got.Remedy != meaning, "%s %s: the facts do not fit: %+v", v.Code, v.Form, got)
		assert.Check(t, r.Want.Text == got.Text, "%s %s: text\n%s, want\n%s", v.Code, v.Form, got.Text, r.Want.Text)
		if want := r.Want.Headline; want != "" {
			assert.Check(t, want == got.Headline, "%s %s: headline %q, want %q", v.Code, v.Form, got.Headline, want)
		}
		if want := r.Want.Remedy; want != "" {
			assert.Check(t, want == got.Remedy, "%s %s: remedy\n%s, want\n%s", v.Code, v.Form, got.Remedy, want)
		}
		assert.Check(t, len(got.Headline) <= mostHeadline && got.Headline != "" && !strings.Contains(got.Text+got.Remedy+got.Headline, "<no value>"), "%s: %q %q", v.Code, got.Headline, got.Text)
		k := diagnose.Kinds()[v.Code]
		word := v.Form
		for _, p := range v.Parameters {
			if p.Name == "advice" {
				word = p.Text
			}
		}
		cause := ""
		if v.Cause != nil {
			cause = "cause " + string(v.Cause.Code)
		}
		for _, section := range []string{cause, k.Section("says", v.Form), k.Section("instead", word), k.Section("advice", word)} {
			used[string(v.Code)+": "+section] = true
		}
	}
	for code, k := range diagnose.Kinds() {
		for name := range k.Parts {
			switch first, _, _ := strings.Cut(name, " "); first {
			case "says", "instead", "advice", "cause":
				assert.Check(t, used[string(code)+": "+name], "no row has %q of %s", name, code)
			}
		}
	}
}
