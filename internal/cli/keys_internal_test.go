package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// newKeys returns a command whose flag --style has one key of each kind.
func newKeys() (c *cobra.Command, k *keys) {
	c = &cobra.Command{}
	k = keysVar(c, "style", "a `LIST`")
	k.file = true
	k.set.Bool("points", false, "draw points")
	k.set.Bool("events", true, "mark events")
	k.set.Float64("width", 16, "width in `cm`")
	k.set.String("title", "", "`text` above")
	choose(k.set, new(string), "legend", "below", "`place` of the legend", "below", "right", "none")
	return c, k
}

// TestKeys: a list of keys sets flags of its own, and what it holds can be given again.
func TestKeys(t *testing.T) {
	file := filepath.Join(t.TempDir(), "style")
	assert.NilError(t, os.WriteFile(file, []byte("width=9\n\ntitle=a, b\r\npoints\n"), 0o600))
	for _, x := range []struct{ given, want string }{
		{"points", "points=true"},
		{"width=8.5,events=no", "events=false,width=8.5"},
		{"points=yes,points=no", "points=false"},
		{"width=8, width=9", "width=9"},
		{`"title=a, b",points`, `points=true,"title=a, b"`},
		{"title=", "title="},
		{"title=a=b,legend=right", "title=a=b,legend=right"},
		{file, `points=true,width=9,"title=a, b"`},
		{"poinst", `no key "poinst"; want points, events,`},
		{"2", `no key "2"; want points, events, width, title or legend`},
		{"width", "the value is missing; write width=CM"},
		{"width=wide", "width: want a number"},
		{"events=maybe", "events: want true or false"},
		{"legend=left", "legend: want below, right or none"},
		{`title="a`, "want KEY=VALUE"},
	} {
		_, k := newKeys()
		assert.Check(t, is.Equal(k.String(), ""), "before a key is set")
		if err := k.Set(x.given); err != nil {
			assert.Check(t, strings.HasPrefix(err.Error(), x.want), "%s: %v, want %s", x.given, err, x.want)
			continue
		}
		got := k.String()
		if !assert.Check(t, is.Equal(got, x.want), x.given) {
			continue
		}
		_, again := newKeys()
		assert.NilError(t, again.Set(got))
		assert.Check(t, is.Equal(again.String(), got), "what %s gives, given again", x.given)
	}
}

// TestKeysComplete: keys are completed, and values of those that have a few.
func TestKeysComplete(t *testing.T) {
	_, k := newKeys()
	for typed, want := range map[string]string{
		"":                "points\tdraw points events=\tmark events width=\twidth in cm title=\ttext above legend=\tplace of the legend",
		"points,legend=r": "points,legend=below points,legend=right points,legend=none",
		"width=8":         "",
	} {
		assert.Check(t, is.Equal(strings.Join(k.complete(typed), " "), want), "%q", typed)
	}
}
