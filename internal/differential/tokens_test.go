package differential

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/packet"
	"mpanalyze/internal/report"
)

// tokens are those of the hosts, by "host > other host" on each subflow: on the
// initial one those that tshark makes from the keys in MP_CAPABLE, on a joined
// one the one that the MP_JOIN names its receiver by.
type tokens map[string]string

// theirTokens are what tshark shows.
type theirTokens struct {
	tokens
	keys map[string]senderKey // that the tokens were made of
}

// senderKey is the sender's key of an MP_CAPABLE and the option's version.
type senderKey struct {
	key     uint64
	version uint8
}

// add notes tshark's fields of one packet: mptcp.expected_token, and the
// receiver's token of MP_JOIN.
func (k *theirTokens) add(s *packet.Segment, expected, joined, key, version []byte) {
	src, dst := endpoint(s.Src), endpoint(s.Dst)
	if len(expected) > 0 {
		k.tokens[flow(src, dst)] = string(expected)
		n, _ := strconv.ParseUint(string(key), 0, 64)
		v, _ := strconv.ParseUint(string(version), 0, 8)
		k.keys[flow(src, dst)] = senderKey{n, uint8(v)}
	}
	if len(joined) > 0 {
		k.tokens[flow(dst, src)] = string(joined)
	}
}

// compare compares the tokens with those of our report. Plain TCP connections have none in the
// report, also if their SYN asked for MPTCP with a key.
func (k *theirTokens) compare(t *testing.T, name, path string, used *uses) {
	t.Helper()
	doc := analyze(t, path)
	want := tokens{}
	for i := range doc.Connections {
		want.connection(t, &doc.Connections[i])
	}
	for i := range doc.TCP {
		a, b := side(doc.TCP[i].A), side(doc.TCP[i].B)
		delete(k.tokens, flow(a, b))
		delete(k.tokens, flow(b, a))
	}
	for flow, theirs := range k.tokens {
		d := difference{capture: name, column: "mptcp.expected_token", ours: want[flow], theirs: theirs, madeOf: k.keys[flow]}
		if d.ours != d.theirs && excused(used, tsharkExceptions, &d) {
			want[flow] = theirs
		}
	}
	assert.Check(t, is.DeepEqual(want, k.tokens), "tokens")
}

// connection enters the tokens of one connection of the report.
func (k tokens) connection(t *testing.T, c *report.Connection) {
	for i := range c.Subflows {
		s := &c.Subflows[i]
		a, b := side(s.A), side(s.B)
		switch {
		case i == 0 && c.Handshake:
			k.report(t, flow(a, b), c.TokenA)
			k.report(t, flow(b, a), c.TokenB)
		case s.Initiator == nil: // no SYN, no MP_JOIN
		case *s.Initiator == report.SideA:
			k.report(t, flow(b, a), c.TokenB)
		default:
			k.report(t, flow(a, b), c.TokenA)
		}
	}
}

// report enters a token of the report as tshark writes it.
func (k tokens) report(t *testing.T, flow string, token *string) {
	t.Helper()
	if token == nil {
		return
	}
	n, err := strconv.ParseUint(*token, 0, 32)
	assert.Check(t, err, "token of %s", flow)
	k[flow] = strconv.FormatUint(n, 10)
}

func flow(from, to string) string { return from + " > " + to }

func endpoint(e packet.Endpoint) string {
	return netip.AddrPortFrom(netip.AddrFrom16(e.Addr).Unmap(), e.Port).String()
}

func side(e report.Endpoint) string { return net.JoinHostPort(e.Addr, fmt.Sprint(e.Port)) }

// documents keeps the report of each capture for the test that comes second.
var documents sync.Map

// analyze reports on one capture.
func analyze(t *testing.T, path string) *report.Document {
	t.Helper()
	once, _ := documents.LoadOrStore(path, sync.OnceValues(func() (*report.Document, error) {
		return engine.Analyze(context.Background(), engine.Options{Paths: []string{path}, Connection: engine.AllConnections})
	}))
	doc, err := once.(func() (*report.Document, error))()
	assert.NilError(t, err)
	return doc
}
