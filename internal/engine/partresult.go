package engine

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"strings"

	"mpanalyze/internal/diagnose"
	"mpanalyze/internal/output"
	"mpanalyze/internal/remedy"
	"mpanalyze/internal/report"
	"mpanalyze/internal/report/build"
	"mpanalyze/internal/split"
	"mpanalyze/internal/storage"
)

// A result is the report on a part, as lines of JSON: a head, then the connections in
// any order. It also holds what short reports leave out, because verdicts on other
// connections may need it.

// resultSchema is the value of schema in the head of a result.
const resultSchema = "mpanalyze-part/2"

// resultHead says which part, program and options a result belongs to.
type resultHead struct {
	Schema      string         `json:"schema"`
	MadeBy      *report.MadeBy `json:"made_by"`
	Detail      report.Detail  `json:"detail"`
	Kernel      remedy.Kernel  `json:"kernel,omitempty"` // that remedies are for
	Digest      uint64         `json:"digest,string"`    // digest of the part
	Connections int            `json:"connections"`      // lines that follow
	LeftOut     int            `json:"left_out"`         // plain TCP connections that have no line
}

// resultLine is a connection of either kind.
type resultLine struct {
	Order      int                `json:"order"` // order of a plain TCP connection
	Short      bool               `json:"short"`
	Connection *report.Connection `json:"connection,omitempty"`
	TCP        *report.TCP        `json:"tcp,omitempty"`
}

// resultName returns the name of a part's result.
func resultName(dir string, part *split.Part) string {
	return storage.Join(dir, strings.TrimSuffix(part.File, filepath.Ext(part.File))+".result")
}

func (o *Options) resultHead(part *split.Part, connections, leftOut int) resultHead {
	return resultHead{resultSchema, o.MadeBy(), o.Detail, o.Kernel, part.Digest, connections, leftOut}
}

// writeResult writes the report on a part next to the part. leftOut is how many plain
// TCP connections are not in it.
func (o *Options) writeResult(dir string, part *split.Part, s *report.Stored, leftOut int) error {
	return output.Write(resultName(dir, part), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		err := enc.Encode(o.resultHead(part, s.NumConnections()+s.NumTCP(), leftOut))
		for i := 0; i < s.NumConnections() && err == nil; i++ {
			var c *report.Connection
			if c, err = s.ConnectionAt(i); err == nil {
				err = enc.Encode(resultLine{Short: c.Short, Connection: c})
			}
		}
		for i := 0; i < s.NumTCP() && err == nil; i++ {
			var c *report.TCP
			if c, err = s.TCPAt(i); err == nil {
				err = enc.Encode(resultLine{Order: s.TCPOrder(i), Short: c.Short, TCP: c})
			}
		}
		return err
	})
}

// resultInto puts the result of a part into a report. It reports whether there is a
// result of the same program, options and part.
func (o *Options) resultInto(dir string, part *split.Part, builder *build.Builder) (used bool, err error) {
	name := resultName(dir, part)
	f, err := storage.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, &InputError{err}
	}
	defer f.Close() // opened for reading only
	dec := json.NewDecoder(bufio.NewReaderSize(f, 1<<16))
	var head resultHead
	if err := dec.Decode(&head); err != nil {
		return false, resultDamaged(name, err)
	}
	want := o.resultHead(part, head.Connections, head.LeftOut)
	if want.MadeBy.Options.Labels == nil {
		want.MadeBy.Options.Labels = report.List[string]{}
	}
	if !reflect.DeepEqual(head, want) {
		return false, nil
	}
	for range head.Connections {
		var l resultLine
		if err := dec.Decode(&l); err != nil {
			return false, resultDamaged(name, err)
		}
		if err := l.into(builder.Into); err != nil {
			return false, err
		}
	}
	builder.LeftOut += head.LeftOut
	return true, nil
}

func resultDamaged(name string, err error) error {
	return &InputError{fmt.Errorf("%s: not the result of a part, or cut: %s; remove it, and the part is analysed again", name, whyNoReport(err))}
}

// into adds the connection to a report.
func (l *resultLine) into(stored *report.Stored) error {
	switch {
	case l.Connection != nil:
		l.Connection.Short = l.Short
		return stored.AddConnection(l.Connection, l.Connection.ID)
	case l.TCP != nil:
		l.TCP.Short = l.Short
		return stored.AddTCP(l.TCP, l.Order, diagnose.Related(l.TCP))
	}
	return nil
}
