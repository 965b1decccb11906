package differential

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/mptcp"
	"mpanalyze/internal/packet"
)

// tsharkExceptions are the disagreements with tshark 4.0.17, single pass.
var tsharkExceptions = []exception[difference]{
	{"dss-checksum-not-shown", checksumNotShown},
	{"token-of-third-ack-version", tokenOfThirdACK},
}

// tokenOfThirdACK: tshark makes the token by the hash of the version that the
// option with the key has, also where that is a third ACK of another version
// than SYN and SYN/ACK agreed on. Those two decide (RFC 8684, Section 3.1).
func tokenOfThirdACK(d *difference) bool {
	token := func(version uint8) string {
		return strconv.FormatUint(uint64(mptcp.Token(version, d.madeOf.key)), 10)
	}
	v := d.madeOf.version
	return d.column == "mptcp.expected_token" && v <= 1 && d.theirs == token(v) && d.ours == token(1-v)
}

// checksumNotShown: tshark ends its reading of a DSS option at the data-level length, so that it
// never shows the checksum behind it, as it does for the checksum of MP_CAPABLE.
// TestChecksumNotShown has the packet. What we read is then compared with the bytes of the
// option, which tshark does show.
func checksumNotShown(d *difference) bool {
	s := d.segment
	if d.column != option("checksum") || d.theirs != "" || s.Have&packet.HasDSS == 0 || !s.DSS.Has(mptcp.DSSChecksum) {
		return false
	}
	return strings.Contains(d.options, hex.EncodeToString(s.DSS.Append(nil)))
}

// TestChecksumNotShown: RFC 6824, Section 3.3 (Figure 9) and RFC 8684, Section
// 3.3 put the checksum in the last two bytes of the option where the length
// says that it is there. The fifth packet of v0/full-v0-csum1 is such a one:
// with 0xec1a the sum over pseudo-header and data comes out right (Section
// 3.3.1), so these bytes are the checksum.
func TestChecksumNotShown(t *testing.T) {
	const clientKey = 0x3eb93e7d8453431f // MP_CAPABLE of the first packet
	opt, _ := hex.DecodeString("1e142005" + "f2af3a4f" + "b7eca121" + "00000001" + "0069" + "ec1a")
	data, _ := hex.DecodeString("7b226d6f6465223a2262756c6b222c227570223a66616c73652c2273656564223a2266756c6c2d302d31222c" +
		"226279746573223a323030303030302c22726174655f627073223a383030303030302c226475725f73223a31302c226368756e6b5f6d73223a34307d0a")
	var d mptcp.DSS
	assert.NilError(t, mptcp.ParseDSS(opt, &d))
	assert.Assert(t, d.Checksum == 0xec1a && int(d.Length) == len(data), "checksum %#04x over %d bytes, want 0xec1a over %d", d.Checksum, d.Length, len(data))
	var sum mptcp.Sum
	dsn := mptcp.IDSN(0, clientKey) + 1 // the first byte of data
	assert.Assert(t, uint32(dsn) == uint32(d.DSN), "DSN %#x, want the low half of %#x", d.DSN, dsn)
	sum.PseudoHeader(dsn, d.SSN, d.Length)
	sum.Add(data)
	if !sum.Verify(d.Checksum) {
		t.Errorf("the sum over the data is %#04x, not %#04x", sum.Value(), d.Checksum)
	}
}
