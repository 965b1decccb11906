package engine_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/testrun"
	"mpanalyze/internal/tracegen"
)

// stranger is a module that sees every connection and follows none.
type stranger struct{ all map[*conn.Conn]int }

func (s stranger) Open(c *conn.Conn) conn.Observer {
	s.all[c]++
	return nil
}

// A report is the same whether the memory of connections is reused or kept because another
// module may refer to it.
func TestReusedMemory(t *testing.T) {
	for seed := range uint64(testrun.Cases(12 / scale)) {
		r := rand.New(rand.NewPCG(seed, 31))
		var file bytes.Buffer
		n := storm(r, 150, 1+int(seed%4)*40, time.Duration(100+r.IntN(300))*time.Second)
		if err := n.Write(&file, tracegen.View(seed%3), tracegen.Format{}); err != nil {
			t.Fatal(err)
		}
		kept := stranger{map[*conn.Conn]int{}}
		o := engine.Options{Paths: []string{"-"}, Stdin: bytes.NewReader(file.Bytes()), Connection: engine.AllConnections}
		o.Modules = []conn.Module{kept}
		want, err := engine.Analyze(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		for c, times := range kept.all {
			if times > 1 {
				t.Fatalf("seed %d: connection %d lies where another did", seed, c.ID)
			}
		}
		o = engine.Options{Paths: o.Paths, Stdin: bytes.NewReader(file.Bytes()), Connection: o.Connection}
		got, err := engine.Analyze(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("seed %d (-kept +given back):\n%s", seed, d)
		}
	}
}
