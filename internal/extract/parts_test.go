package extract_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/extract"
	"mpanalyze/internal/jsonreport"
	"mpanalyze/internal/report"
	"mpanalyze/internal/testrun"
)

// connectionsOf returns the connections in the report on a capture, as JSON has them.
func connectionsOf(t *testing.T, path string) []any {
	t.Helper()
	o := engine.Options{Paths: []string{path}, Connection: engine.AllConnections, Detail: report.Full, Interval: 100 * time.Millisecond}
	stored, err := engine.AnalyzeStored(context.Background(), o)
	assert.NilError(t, err)
	defer stored.Close()
	var text bytes.Buffer
	assert.NilError(t, jsonreport.Write(&text, stored))
	var doc struct{ Connections []any }
	in := json.NewDecoder(&text)
	in.UseNumber() // as it is written, to the last digit
	assert.NilError(t, in.Decode(&doc))
	return doc.Connections
}

// numbersOf returns the number that each packet of a part has in the whole capture, by its number
// in the part.
func numbersOf(t *testing.T, file string) map[json.Number]json.Number {
	t.Helper()
	numbers := map[json.Number]json.Number{}
	for i, comments := range commentsOf(t, file) {
		own, _ := strings.CutPrefix(comments[len(comments)-1], "mpanalyze: packet=")
		own, _, _ = strings.Cut(own, " ")
		numbers[json.Number(fmt.Sprint(i+1))] = json.Number(own)
	}
	return numbers
}

// renumber gives the packets in a connection of a part the numbers that they have in the whole.
func renumber(x any, numbers map[json.Number]json.Number) {
	switch x := x.(type) {
	case []any:
		for i := range x {
			renumber(x[i], numbers)
		}
	case map[string]any:
		for name, value := range x {
			if n, ok := value.(json.Number); ok && name == "packet" && n != "0" {
				x[name] = numbers[n]
			}
			renumber(value, numbers)
		}
	}
}

// TestParts: each connection of a part is reported as in the whole capture, but for its ID and the
// numbers of packets. The parts are the first connection, and two parts of the others.
func TestParts(t *testing.T) {
	var all []string
	err := filepath.WalkDir(sessions, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.Contains(e.Name(), ".pcap") {
			all = append(all, path)
		}
		return err
	})
	assert.NilError(t, err)
	most := filepath.Join(sessions, "v1/k-short-bursts/client.pcap.zst") // it has 60 connections
	compared := 0
	for _, path := range append(testrun.Sample(all), most) {
		whole := connectionsOf(t, path)
		for _, ids := range [][2]int{{0, min(1, len(whole))}, {1, (len(whole) + 1) / 2}, {max(1, (len(whole)+1)/2), len(whole)}} {
			if ids[0] >= ids[1] {
				continue
			}
			file := filepath.Join(t.TempDir(), "part.pcapng")
			assert.NilError(t, os.WriteFile(file, some(t, path, extract.AllSubflows, extract.IDs{First: ids[0], Last: ids[1] - 1}), 0o600))
			got, numbers := connectionsOf(t, file), numbersOf(t, file)
			if len(got) != ids[1]-ids[0] {
				t.Fatalf("%s: a part with %d connections, want %d", path, len(got), ids[1]-ids[0])
			}
			for i := range got {
				renumber(got[i], numbers)
				got[i].(map[string]any)["id"] = json.Number(fmt.Sprint(ids[0] + i))
				assert.Check(t, is.DeepEqual(got[i], whole[ids[0]+i]), "%s, connection %d", path, ids[0]+i)
				compared++
			}
		}
	}
	assert.Check(t, compared >= 60, "%d connections were compared", compared)
}

// TestSeveral: a part has the packets of all its ranges, those of a connection that is in two of
// them once. What the capture does not have is missing.
func TestSeveral(t *testing.T) {
	path := filepath.Join(sessions, "v1/k-short-bursts/client.pcap.zst")
	want := 0
	for _, id := range []int{2, 7, 8, 9} {
		want += packetsOf(t, some(t, path, extract.AllSubflows, extract.IDs{First: id, Last: id}))
	}
	ranges := []extract.IDs{{First: 7, Last: 9}, {First: 2, Last: 2}, {First: 60, Last: 70}, {First: 8, Last: 8}}
	if n := packetsOf(t, some(t, path, extract.AllSubflows, ranges...)); n != want {
		t.Errorf("%d packets, want %d", n, want)
	}
	c := extract.Choose(extract.AllSubflows, ranges...)
	assert.NilError(t, tracked(c, path))
	assert.Check(t, is.DeepEqual(c.Missing(), ranges[2:3]), "missing")
}
