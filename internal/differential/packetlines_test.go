package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"mpanalyze/internal/conn"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/packets"
)

// lineFields are the fields of MPTCP options that lines of packets show, as tshark
// names them.
var lineFields = []string{
	"subtype", "version", "sendkey", "recvkey", "recvtok", "sendrand", "addrid", "sendtrunchmac", "sendhmac", "addaddrtrunchmac",
	"rawdataack", "rawdataseqno", "subflowseqno", "datalvllen", "ipv4", "ipv6", "port", "rst_reason",
}

// TestPacketLines compares the options in the lines of mpanalyze packets --json with what tshark
// shows of each packet.
func TestPacketLines(t *testing.T) {
	t.Parallel()
	need(t, "tshark")
	paths := []string{filepath.Join(bundled, "v0/abort/client.pcap.zst")}
	for _, name := range []string{
		"join-003-ns1", "join-073-ns1", "join-031-ns1", "pd-fastclose_receive_fastclose_with_rst_v4-ipv4", "run1/client",
	} {
		paths = append(paths, filepath.Join("../../testdata/counters", name+".pcap.zst"))
	}
	seen := map[string]bool{}
	for _, path := range paths {
		ours := linesOf(t, path)
		args := []string{"-n", "-r", "-", "-Y", "tcp.options.mptcp.subtype", "-T", "fields", "-E", "occurrence=a", "-E", "aggregator=,", "-e", "frame.number"}
		for _, f := range lineFields {
			args = append(args, "-e", option(f))
		}
		err := lines(t, unpacked(t, path), func(line []byte) bool {
			f := strings.Split(string(line), "\t")
			num, err := strconv.ParseUint(f[0], 10, 64)
			assert.NilError(t, err)
			theirs := map[string][]string{}
			for i, name := range lineFields {
				if f[i+1] != "" {
					theirs[name] = strings.Split(f[i+1], ",")
					slices.Sort(theirs[name])
					seen[name] = true
				}
			}
			mine := fieldsOf(ours[num])
			assert.Assert(t, is.DeepEqual(mine, theirs), "%s, packet %d:", path, num)
			delete(ours, num)
			return true
		}, "tshark", args...)
		assert.NilError(t, err, "%s: tshark", path)
		for num, r := range ours {
			assert.Assert(t, len(r.Options) == 0, "%s: of packet %d tshark shows no option, but the lines %+v", path, num, r.Options)
		}
	}
	if len(seen) != len(lineFields) {
		t.Errorf("no capture has more than the fields %v", slices.Sorted(maps.Keys(seen)))
	}
}

// linesOf returns the lines of a capture by packet.
func linesOf(t *testing.T, path string) map[uint64]*packets.Record {
	t.Helper()
	var text bytes.Buffer
	l := packets.New(&text, packets.Options{Connection: packets.AllConnections, JSON: true})
	if _, err := engine.Track(context.Background(), engine.Options{Paths: []string{path}, Modules: []conn.Module{l}}); err != nil {
		t.Fatal(err)
	}
	assert.NilError(t, l.Flush())
	out := map[uint64]*packets.Record{}
	for d := json.NewDecoder(&text); ; {
		r := new(packets.Record)
		if err := d.Decode(r); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		out[r.Packet] = r
	}
}

// subtypeCodes are the numbers of the subtypes by the names of RFC 8684, Section 7.2.
var subtypeCodes = map[string]string{
	"MP_CAPABLE": "0", "MP_JOIN": "1", "DSS": "2", "ADD_ADDR": "3", "REMOVE_ADDR": "4",
	"MP_PRIO": "5", "MP_FAIL": "6", "MP_FASTCLOSE": "7", "MP_TCPRST": "8",
}

// fieldsOf returns the fields of a line as tshark writes them.
func fieldsOf(r *packets.Record) map[string][]string {
	out := map[string][]string{}
	if r == nil {
		return out
	}
	add := func(name, value string) {
		if value != "" {
			out[name] = append(out[name], value)
		}
	}
	for i := range r.Options {
		o := &r.Options[i]
		add("subtype", subtypeCodes[o.Subtype])
		if o.Subtype == "MP_CAPABLE" {
			addInt(add, "version", o.Version)
		}
		addHex(add, "sendkey", o.SenderKey)
		addHex(add, "recvkey", o.ReceiverKey)
		addHex(add, "recvtok", o.Token)
		addHex(add, "sendrand", o.Nonce)
		addInt(add, "addrid", o.AddressID)
		for _, id := range o.AddressIDs {
			add("addrid", strconv.Itoa(id))
		}
		switch {
		case o.Subtype == "ADD_ADDR":
			addHex(add, "addaddrtrunchmac", o.HMAC)
		case len(o.HMAC) == 16:
			addHex(add, "sendtrunchmac", o.HMAC)
		default:
			add("sendhmac", o.HMAC)
		}
		addInt(add, "rawdataack", o.DataAck)
		addInt(add, "rawdataseqno", o.DSN)
		addInt(add, "subflowseqno", o.SSN)
		addInt(add, "datalvllen", o.DataLength)
		if strings.Contains(o.Address, ":") {
			add("ipv6", o.Address)
		} else {
			add("ipv4", o.Address)
		}
		add("port", o.Port)
		if o.ReasonCode != nil {
			add("rst_reason", fmt.Sprintf("0x%02x", *o.ReasonCode))
		}
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

func addInt[T int | uint32 | uint64](add func(name, value string), name string, v *T) {
	if v != nil {
		add(name, strconv.FormatUint(uint64(*v), 10))
	}
}

// addHex adds a number in hexadecimal as tshark writes it, in base 10.
func addHex(add func(name, value string), name, digits string) {
	if digits == "" {
		return
	}
	v, err := strconv.ParseUint(digits, 16, 64)
	if err != nil {
		panic(err)
	}
	add(name, strconv.FormatUint(v, 10))
}
