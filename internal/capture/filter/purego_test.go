//go:build !cgo || nopcap

package filter

import (
	"strings"
	"testing"
)

func TestExpressionNeedsLibpcap(t *testing.T) {
	if available {
		t.Error("a build without libpcap says that it has it")
	}
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
