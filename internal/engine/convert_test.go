package engine_test

import (
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/report"
	"mpanalyze/internal/seq"
	"mpanalyze/internal/tracegen"
)

// The messages of RFC 8803, Section 4: a request for 192.0.2.77, port 8080, and answers.
const (
	convertRequest = "01062263" + "0a051f90" + "00000000000000000000ffffc000024d"
	convertAnswer  = "01032263" + "1402000001030307"
	convertRefusal = "01022263" + "1e016100"
)

// TestConvert: the messages of the Convert Protocol in SYN and SYN/ACK are not of the application; what follows them in the SYN
// is. The mappings count behind them, and nothing is unmapped.
func TestConvert(t *testing.T) {
	const data = 2000
	for _, c := range []struct {
		name           string
		cfg            tracegen.Config
		behind         int // bytes of the application in the SYN
		answer, error_ string
		verdict        string
	}{
		{"an answer", tracegen.Config{Version: 1}, 0, convertAnswer, "", "converter"},
		{"data in the SYN", tracegen.Config{Version: 1}, 100, convertAnswer, "", "converter"},
		{"a refusal", tracegen.Config{Version: 1}, 0, convertRefusal, "destination unreachable", "converter failed"},
		{"no answer", tracegen.Config{Version: 1}, 0, "", "", "converter asked"},
		{"SSNs from the ISN", tracegen.Config{Version: 1, SSNFromISN: true}, 0, convertAnswer, "", "converter"},
		{"data behind the answer", tracegen.Config{Version: 1}, 0, convertAnswer + "070707", "", "converter"},
		{"checksums", tracegen.Config{Version: 1, Checksum: true}, 0, convertAnswer, "", "converter"},
		{"plain TCP", tracegen.Config{Plain: true}, 0, convertAnswer, "", "converter"},
	} {
		request, err := hex.DecodeString(convertRequest)
		assert.NilError(t, err)
		answer, err := hex.DecodeString(c.answer)
		assert.NilError(t, err)
		after := len(answer) % 4 // a message is of whole words; bytes behind it are of the application
		c.cfg.AckEvery, c.cfg.NoTimestamps = 1, true
		s := tracegen.NewSession(c.cfg)
		f := s.Subflow(onPath(0))
		syn := f.FastOpen(0, nil, len(request)+c.behind)
		at := f.ThirdACK(f.SYNACK(syn.ArrivesAt()).ArrivesAt()).ArrivesAt()
		f.Data(tracegen.A2B, at, 0, data)
		f.Data(tracegen.B2A, at, 0, data)
		s.Close(at+100*msec, data, data)
		n := tracegen.NewNetwork(time.Time{})
		for i, p := range s.Packets(tracegen.HostA) {
			switch {
			case i == 0:
				p.Payload = append(request, strings.Repeat("\a", c.behind)...)
			case p.Flags&tracegen.SYN != 0:
				p.Payload = answer
			case p.Src == onPath(0).B:
				p.Seq += seq.Wire(len(answer))
			default:
				p.Ack += seq.Wire(len(answer))
			}
			n.Show(tracegen.HostA, p)
		}
		doc, _ := cutDocument(t, n, 0)
		var x *report.FastOpen
		var verdicts []report.Verdict
		if c.cfg.Plain {
			x, verdicts = doc.TCP[0].FastOpen, doc.TCP[0].Verdicts
		} else {
			k := &doc.Connections[0]
			x, verdicts = k.Subflows[0].FastOpen, *k.Verdicts
			assert.Check(t, *k.A2B.Bytes == int64(data+c.behind) && *k.B2A.Bytes == int64(data+after) && k.Fallback == nil, "%s: %d and %d bytes, fallback %v", c.name, *k.A2B.Bytes, *k.B2A.Bytes, k.Fallback)
			text, err := follow(t, n, tracegen.HostA)
			assert.Check(t, err == nil && text == strings.Repeat("\a", c.behind)+streamOf(data), "%s: %d bytes in the stream, %v", c.name, len(text), err)
			for _, e := range k.Events {
				assert.Check(t, !strings.Contains("unmapped_data fallback mapping_conflict checksum_error", string(e.Kind)), "%s: event %s: %s", c.name, e.Kind, e.Detail)
			}
		}
		if !assert.Check(t, x != nil && x.Convert != nil && x.Convert.Peer != nil, c.name) {
			continue
		}
		got := x.Convert
		assert.Check(t, *got.Peer == report.Endpoint{Addr: "192.0.2.77", Port: 8080} && got.Bytes == 24 && report.Known(got.AnswerBytes) == int64(len(answer)-after) && report.Known(got.Error) == c.error_,
			"%s: %+v", c.name, got)
		found := false
		for _, v := range verdicts {
			found = found || v.Code == report.VerdictConverter && strings.TrimSpace(string(v.Code)+" "+v.Form) == c.verdict
		}
		assert.Check(t, found, "%s: %+v", c.name, verdicts)
	}
}
