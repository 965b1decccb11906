package differential

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/tcptrace"
)

// otherwise are lines of the long output that differ: the statistics of
// full-size segments, the name of the file, and the last digit of the elapsed
// time, which tcptrace cuts off where it is not exact.
var otherwise = regexp.MustCompile(`RTT full_sz|^\tfilename: |^\telapsed time: `)

// TestTcptraceLong compares every line of the long output with tcptrace's.
func TestTcptraceLong(t *testing.T) {
	need(t, "tcptrace")
	for _, name := range drawn {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(bundled, name)
			var theirs []string
			err := lines(t, uncooked(t, unpacked(t, path), false), func(line []byte) bool {
				theirs = append(theirs, string(line))
				return true
			}, "tcptrace", "-l", "-r", "-n", "-W", "stdin")
			if err != nil {
				unreadable(t, path, "tcptrace", err)
			}
			var out bytes.Buffer
			err = tcptrace.Write(&out, tcptrace.Capture{Files: []string{"stdin"}}, tracked(t, path), tcptrace.Format{RTT: true, Owin: true})
			assert.NilError(t, err)
			a, b := connections(theirs), connections(strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n"))
			assert.Assert(t, len(a) != 0, "no connection")
			for i := range min(len(a), len(b)) {
				if strings.HasPrefix(a[i], "\thost") {
					a[i] = leadingZeros.ReplaceAllString(a[i], ":$1")
				}
				if otherwise.MatchString(a[i]) && otherwise.MatchString(b[i]) {
					a[i] = b[i]
				}
			}
			sameLines(t, name, a, b)
		})
	}
}

// connections drops what stands above the first connection.
func connections(lines []string) []string {
	for i, line := range lines {
		if line == "TCP connection 1:" {
			return lines[i:]
		}
	}
	return nil
}
