package main

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gopacket/gopacket/pcapgo"
	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/assert"
)

// TestParityNames runs the commands of each row of docs/other-tools.md and looks for the files and
// words that the row names: they are in what the commands print or write.
func TestParityNames(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the commands take seconds")
	}
	text, err := os.ReadFile(filepath.Join(root, "docs/other-tools.md"))
	assert.NilError(t, err)
	s := &pageRun{t: t, name: "docs/other-tools.md"}
	s.dir, s.env = workshop(t)
	file := regexp.MustCompile(`\b\w+\.(?:csv|xpl)\b`)
	word := regexp.MustCompile("`([A-Za-z_0-9]+)…?`")
	_, table, _ := strings.Cut(string(text), "\n## Parity\n")
	table, _, _ = strings.Cut(table, "\nThese need another program")
	rows, named := 0, 0
	for line := range strings.Lines(table) {
		cells := cellsOf(line)
		if len(cells) != 2 {
			continue
		}
		rows++
		rest := cell.ReplaceAllString(cells[1], "")
		files, words := file.FindAllString(rest, -1), word.FindAllStringSubmatch(rest, -1)
		var said strings.Builder
		for _, c := range cell.FindAllStringSubmatch(cells[1], -1) {
			out, err := s.run(t, "sh", strings.ReplaceAll(c[1], `\|`, "|"))
			assert.Check(t, err == nil, "%s: %v\n%s", c[1], err, out)
			said.WriteString(out)
		}
		written := writtenIn(t, s.dir)
		for _, content := range written {
			said.WriteString(content)
		}
		named += len(files) + len(words)
		for _, f := range files {
			assert.Check(t, written[f] != "", "%s: no file %s", cells[0], f)
		}
		for _, w := range words {
			assert.Check(t, strings.Contains(said.String(), w[1]), "%s: %s is nowhere", cells[0], w[1])
		}
	}
	assert.Check(t, rows >= 20 && named >= 15, "%d rows that name %d files and words are too few to be all", rows, named)
}

// cellsOf returns the cells of a line of a table.
func cellsOf(line string) (cells []string) {
	line = strings.Trim(strings.TrimSpace(line), "|")
	for c := range strings.SplitSeq(strings.ReplaceAll(line, `\|`, "\x00"), "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(c, "\x00", `\|`)))
	}
	return cells
}

// writtenIn returns the tables and graphs below a directory, by their names.
func writtenIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, pattern := range []string{"*/*.csv", "*/*.xpl"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		assert.NilError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			assert.NilError(t, err)
			files[filepath.Base(name)] += string(text)
		}
	}
	return files
}

// unzstd opens a compressed file, and closes it at the end of the test.
func unzstd(t *testing.T, name string) io.Reader {
	t.Helper()
	f, err := os.Open(name)
	assert.NilError(t, err)
	t.Cleanup(func() { f.Close() })
	z, err := zstd.NewReader(f)
	assert.NilError(t, err)
	t.Cleanup(z.Close)
	return z
}

// erf returns a capture of Ethernet frames, compressed with zstd, in Endace's format: records
// with a time in units of 2^-32 s, type 2, lengths, and two bytes in front of the frame.
func erf(t *testing.T, name string) []byte {
	t.Helper()
	r, err := pcapgo.NewReader(unzstd(t, name))
	assert.NilError(t, err)
	var out bytes.Buffer
	for {
		frame, info, err := r.ReadPacketData()
		if err != nil {
			break
		}
		record := binary.LittleEndian.AppendUint64(nil, uint64(info.Timestamp.Unix())<<32|uint64(info.Timestamp.Nanosecond())<<32/1e9)
		record = append(record, 2, 4)
		record = binary.BigEndian.AppendUint16(record, uint16(16+2+len(frame)))
		record = binary.BigEndian.AppendUint16(record, 0)
		record = binary.BigEndian.AppendUint16(record, uint16(info.Length))
		out.Write(append(append(record, 0, 0), frame...))
	}
	assert.Assert(t, out.Len() >= 1<<20, "%d bytes of ERF are too few to be all of %s", out.Len(), name)
	return out.Bytes()
}
