package engine_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/plaintext"
	"mpanalyze/internal/report"
	"mpanalyze/internal/tracegen"
)

// TestLinesAreThoseOfTheReport: the list of connections is the same from the whole report
// and from one with only what lines need, also if packets are missing, cut or out of order.
func TestLinesAreThoseOfTheReport(t *testing.T) {
	t.Parallel()
	list := func(file []byte, detail report.Detail) string {
		doc, err := engine.Analyze(context.Background(), engine.Options{
			Paths: []string{"-"}, Stdin: bytes.NewReader(file), Connection: engine.AllConnections, Detail: detail,
		})
		if doc == nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := plaintext.Connections(&text, doc); err != nil {
			t.Fatal(err)
		}
		return text.String()
	}
	same := func(name string, file []byte) {
		if got, want := list(file, report.Lines), list(file, report.Full); got != want {
			t.Errorf("%s:\n%s\nof the whole report:\n%s", name, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 3))
	for _, name := range append([]string{"v1/j-plain-server/client.pcap.zst", "v1/j-strip-synack/client.pcap.zst", "v1/f-handover/client.pcap.zst", "v1/p-abort/server.pcap.zst"}, realCaptures...) {
		m := load(t, name, 4000)
		same(name, m.file)
		for _, often := range []int{100, 5} {
			same(fmt.Sprintf("%s, one in %d disturbed", name, often), disturbed(r, m, often))
		}
	}
	for i := range 20 {
		var file bytes.Buffer
		n := storm(r, 60, 1+i%3, time.Minute)
		n.Run()
		if err := n.Write(&file, tracegen.Middle, tracegen.Format{}); err != nil {
			t.Fatal(err)
		}
		same(fmt.Sprintf("storm %d", i), file.Bytes())
	}
}
