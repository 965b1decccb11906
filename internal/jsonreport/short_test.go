package jsonreport_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/report"
)

// TestJSONShort holds what is written of short reports to the types of the short
// forms: each record has their fields, in their order, and nothing else.
func TestJSONShort(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		d := report.Document{Schema: report.SchemaName, Connections: make([]report.Connection, 1), TCP: make([]report.TCP, 1)}
		c, p := &d.Connections[0], &d.TCP[0]
		fill(r, reflect.ValueOf(c).Elem())
		fill(r, reflect.ValueOf(p).Elem())
		c.Short, p.Short = true, true
		if c.Verdicts == nil {
			c.Verdicts = new(report.List[report.Verdict])
		}
		text := written(t, &d)
		var lists struct{ Connections, TCP []json.RawMessage }
		if err := json.Unmarshal([]byte(text), &lists); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		again(t, lists.Connections[0], new(report.ShortConnection))
		again(t, lists.TCP[0], new(report.ShortTCP))
	}
}

// again decodes a record and demands that encoding/json makes the same of it.
func again(t *testing.T, text json.RawMessage, form any) {
	t.Helper()
	assert.Check(t, !bytes.ContainsRune(text, '\n'), "on several lines: %s", text)
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(form); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	var got, want any
	assert.NilError(t, errors.Join(json.Unmarshal(text, &got), json.Unmarshal([]byte(standard(t, form)), &want)))
	assert.Check(t, is.DeepEqual(got, want), "%s", text)
}

// TestShortByHand: each field of a short form has the value of that meaning.
func TestShortByHand(t *testing.T) {
	bytesOf := func(unique int64) *report.SubDir {
		return &report.SubDir{Bytes: new(unique + 500), BytesUnique: &unique, CapturedSegments: 3, PureAcks: 4}
	}
	verdicts := report.List[report.Verdict]{{Code: report.VerdictReset, Severity: report.Minor, Text: "-", Evidence: []report.Proof{{Value: new(1.0)}, {Packet: new(int64(6))}, {Packet: new(int64(7))}}}}
	tcp := report.TCP{
		ID: 1, Short: true, OnlyIn: new(report.ReceiverHost), Initiator: new(report.SideA), A: report.Endpoint{Addr: "10.0.0.1", Port: 2}, B: report.Endpoint{Addr: "10.0.0.2", Port: 3},
		MPTCP: new(report.Requested), Capable: report.Capable{RequestedVersion: new(4), AnsweredVersion: new(5)}, Start: 8e9, DurationS: 9, HandshakeRTT: new(10.0), State: report.SubflowReset,
		ClosedBy: new(report.SideB), A2B: bytesOf(11), B2A: bytesOf(12), Verdicts: verdicts,
	}
	c := report.Connection{
		ID: 21, Short: true, Version: new(1), Checksum: new(true), TokenA: new("0x1"), TokenB: new("0x2"), Start: 22e9, DurationS: 23, State: report.ConnReset, A2B: &report.ConnDir{Bytes: new(int64(24))},
		Subflows: []report.Subflow{{A: report.Endpoint{Addr: "10.0.0.3", Port: 25}, B: report.Endpoint{Addr: "10.0.0.4", Port: 26}, State: report.SubflowRefused, A2B: bytesOf(1)}},
		Events:   []report.Event{{EventFacts: report.EventFacts{ReasonCode: new(6)}}}, Verdicts: &verdicts,
	}
	var got struct {
		Connections []report.ShortConnection
		TCP         []report.ShortTCP
	}
	assert.NilError(t, json.Unmarshal([]byte(written(t, &report.Document{Connections: []report.Connection{c}, TCP: []report.TCP{tcp}})), &got))
	short := report.List[report.ShortVerdict]{{Code: report.VerdictReset, Severity: report.Minor, Packet: new(int64(6))}}
	wantTCP := report.ShortTCP{
		ID: 1, Short: true, OnlyIn: tcp.OnlyIn, Initiator: tcp.Initiator, A: tcp.A, B: tcp.B, MPTCP: tcp.MPTCP, RequestedVersion: new(4), Start: 8e9, DurationS: 9, HandshakeRTT: new(10.0),
		State: report.SubflowReset, ClosedBy: new(report.SideB), BytesA2B: new(int64(11)), BytesB2A: new(int64(12)), Verdicts: short,
	}
	want := report.ShortConnection{
		ID: 21, Short: true, Version: new(1), Checksum: new(true), TokenA: new("0x1"), TokenB: new("0x2"), Start: 22e9, DurationS: 23, State: report.ConnReset, Why: new(report.OnlyFew),
		PacketsA2B: new(int64(3 + 4)), BytesA2B: new(int64(24)), Subflows: []report.ShortSubflow{{A: c.Subflows[0].A, B: c.Subflows[0].B, State: report.SubflowRefused, ReasonCode: new(6)}}, Verdicts: short,
	}
	if diff := cmp.Diff(wantTCP, got.TCP[0]) + cmp.Diff(want, got.Connections[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
