//go:build !cgo || nopcap

package filter

import (
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func TestExpressionNeedsLibpcap(t *testing.T) {
	assert.Check(t, !available, "a build without libpcap says that it has it")
	_, err := Compile("host 'a'")
	if err == nil {
		t.Fatal("Compile succeeded")
	}
	for _, part := range []string{`filter "host 'a'"`, "no libpcap", `tcpdump -ddd 'host '\''a'\'''`} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q lacks %q", err, part)
		}
	}
}
