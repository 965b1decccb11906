package cli

import (
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// TestIDRanges: a flag takes ids and ranges, as often as it is given.
func TestIDRanges(t *testing.T) {
	var v idRanges
	for _, text := range []string{"3,8", "20-39"} {
		assert.NilError(t, v.Set(text))
	}
	assert.Check(t, is.DeepEqual(v, idRanges{{First: 3, Last: 3}, {First: 8, Last: 8}, {First: 20, Last: 39}}))
	assert.Check(t, v.String() == "3,8,20-39", "%s", &v)
	for _, text := range []string{"", "-1", "x", "3-", "4-3", "1,,2", "1 2", "99999999999"} {
		err := new(idRanges).Set(text)
		assert.Check(t, err != nil, "%q is taken", text)
	}
}

func TestSize(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		back string
	}{
		{"20000001", 20000001, "20000001"},
		{"20000001B", 20000001, "20000001"},
		{"16385K", 16385 << 10, "16385KiB"},
		{"512MiB", 512 << 20, "512MiB"},
		{"1536M", 1536 << 20, "1536MiB"},
		{"2G", 2 << 30, "2GiB"},
		{"1TiB", 1 << 40, "1TiB"},
		{"4194304T", 1 << 62, "4194304TiB"},
	} {
		var s size
		err := s.Set(c.text)
		assert.Check(t, err == nil && int64(s) == c.want && s.String() == c.back, "%q: %d %q %v, want %d %q", c.text, int64(s), s.String(), err, c.want, c.back)
	}
	for _, text := range []string{"", "0", "16383KiB", "GiB", "-1", "1.5GiB", "1 GiB", "8388608T", "9223372036854775807K", "1mib"} {
		var s size
		err := s.Set(text)
		assert.Check(t, err != nil, "%q is %d", text, int64(s))
	}
}

// TestSeriesByOtherNames: --tables takes what explain calls a metric, too.
func TestSeriesByOtherNames(t *testing.T) {
	tables := tableList{list: []string{"tau", " zeta", " chunks", "srtt_ms", "nothing"}, words: []string{"chunks", "series", "none"}}
	assert.Check(t, tables.has("chunks") && !tables.has("series"))
	assert.Check(t, is.DeepEqual(tables.series(), []string{"srtt", "hol_degree", "srtt", "nothing"}), "names")
	tables.list = []string{"tau", "chunks", "cwnd"}
	wanted := tables.wanted()
	for name, want := range map[string]bool{"srtt": true, "cwnd_estimate": true, "rtt": false} {
		assert.Check(t, wanted(name) == want, "%s wanted: %v", name, !want)
	}
	tables.list = []string{"chunks", "series"}
	assert.Check(t, tables.wanted()("rtt"), "all series")
	tables.list = []string{"chunks"}
	assert.Check(t, tables.wanted() == nil, "no series")
}
