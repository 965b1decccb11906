package differential

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/testrun"
)

// quoted is a paragraph of differences.md with packets: its text, which names the capture and the
// numbers of the packets, and below it their TCP headers in hexadecimal.
var quoted = regexp.MustCompile("(?m)((?:^.+\n)+?)```\n((?:[0-9a-f]+\n)+)```$")

// TestQuotes compares the packets in differences.md with the captures, if these are there.
func TestQuotes(t *testing.T) {
	text, err := os.ReadFile("differences.md")
	assert.NilError(t, err)
	capture, number := regexp.MustCompile("`((?:v0|v1|suites|campaign)/[^`]+)`"), regexp.MustCompile(`\b[0-9]+\b`)
	found := 0
	for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
		of, numbers := capture.FindStringSubmatch(m[1]), number.FindAllString(m[1], -1)
		assert.Assert(t, of != nil, "no capture is named in %q", m[1])
		headers := strings.Fields(m[2])
		found += len(headers)
		path := locate(t, of[1]+".pcap.zst")
		if path == "" {
			continue
		}
		packets := packetsOf(t, path, numbers)
		for _, digits := range headers {
			want, err := hex.DecodeString(digits)
			assert.NilError(t, err)
			there := slices.ContainsFunc(packets, func(p []byte) bool { return bytes.Contains(p, want) })
			assert.Check(t, there, "none of the packets %q of %s holds %s", numbers, of[1], digits)
		}
	}
	all := len(regexp.MustCompile(`(?m)^[0-9a-f]{40,}$`).FindAllString(string(text), -1))
	assert.Check(t, found == all && all >= 30, "%d of %d quoted packets stand below a paragraph", found, all)
	for _, name := range names() {
		assert.Check(t, strings.Contains(string(text), "`"+name+"`"), "differences.md does not tell of %s", name)
	}
}

// names returns the names of all exceptions.
func names() (all []string) {
	for _, e := range tsharkExceptions {
		all = append(all, e.name)
	}
	for _, e := range tcptraceExceptions {
		all = append(all, e.name)
	}
	return all
}

// locate returns the path of a capture, or nothing if it would be in the folder beside the
// repository, and that is absent.
func locate(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(bundled, filepath.FromSlash(name))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	for _, path := range testrun.SharedFiles(t, name) {
		return path
	}
	return ""
}

// packetsOf returns what a capture holds of the packets with the numbers.
func packetsOf(t *testing.T, path string, numbers []string) (packets [][]byte) {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	assert.NilError(t, err)
	defer source.Close()
	for {
		var raw capture.Raw
		if err := source.Next(&raw); errors.Is(err, io.EOF) {
			return packets
		} else if assert.Check(t, err, path); slices.Contains(numbers, strconv.FormatUint(raw.FileNum, 10)) {
			packets = append(packets, slices.Clone(raw.Data))
		}
	}
}
