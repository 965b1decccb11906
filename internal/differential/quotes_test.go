package differential

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/testrun"
)

// quote is a packet that docs/differences.md shows to settle a disagreement.
type quote struct {
	exception string
	capture   string
	packet    uint64
	tcp       string // TCP header in hexadecimal
}

var quotes = []quote{
	{"dss-checksum-not-shown", "v0/full-v0-csum1/server.pcap.zst", 5, "b4ca13896eb66fba99212b14d01801f6342a00000101080a252b9b544fb531ce1e142005f2af3a4fb7eca121000000010069ec1a"},
	{"syn-and-fin-are-bytes", "v1/l-lost-setup/client.pcap.zst", 1, "e88e138911455f8a00000000b0027d7883680000020405b40402080a33adfe7a00000000010303071e040101"},
	{"syn-and-fin-are-bytes", "v1/l-lost-setup/client.pcap.zst", 2, "e88e138911455f8a00000000b0027d787f660000020405b40402080a33ae027c00000000010303071e040101"},
	{"owin-one-more", "v1/j-strip-synack/client.pcap.zst", 3, "80bc138918e5ccfb52fd1d648010003f98b700000101080a85805f4a08f88c75"},
	{"owin-one-more", "v1/j-strip-synack/client.pcap.zst", 4, "80bc138918e5ccfb52fd1d648018003ff7b800000101080a85805f4f08f88c75"},
	{"owin-overtaken-ack", "v0/ndiffports/server.pcap.zst", 4129, "8cc0138907866f2b27170f18d01023c0033400000101080a0f167a25bf3760540101050a271714ac271768581e0820018a9e51ca"},
	{"owin-overtaken-ack", "v0/ndiffports/server.pcap.zst", 4142, "8cc0138907866f2b27169f18a01023c0749500000101080a0f167a24bf37603e1e0820018a9e51ca"},
	{"owin-overtaken-ack", "v0/ndiffports/server.pcap.zst", 4144, "13898cc02717ccc007866f2bd01003ea076b00000101080abf3761620f167a251e142005e78185ac8aa24f260019803905948662"},
	{"dup-ack-overtaken", "campaign/reno/run2/server.pcap.zst", 2683, "d44f1389384dec1e9f491adbf0102323369000000101080a1609f352778a1280010105129f492b979f4958379f49206f9f4926031e08200195fb138a"},
	{"dup-ack-overtaken", "campaign/reno/run2/server.pcap.zst", 2689, "d44f1389384dec1e9f4851fbf01024f8580800000101080a1609f346778a1219010105129f492b979f49312b9f49206f9f4926031e08200195f9e09e"},
	{"dup-ack-overtaken", "campaign/reno/run2/server.pcap.zst", 2719, "d44f1389384dec1e9f491adbf01024f8b9d800000101080a1609f37c778a1280010105129f495dcb9f49635f9f492b979f4958371e08200195fb138a"},
	{"dup-ack-with-fin", "v1/j-strip-synack/server.pcap.zst", 1613, "80bc138918e5cefb531400c5801000fbac0500000101080a858062b108f88f8c"},
	{"dup-ack-with-fin", "v1/j-strip-synack/server.pcap.zst", 1614, "80bc138918e5cefb531400c5801100fbab0100000101080a858063b408f88f8c"},
	{"dup-ack-with-news", "v1/l-single-loss/client.pcap.zst", 1724, "e87e1389da5b4978f03ddaa0b010029c653500000101080a9f3344bcc0992def1e0c20039e54225f9e120bd0"},
	{"dup-ack-with-news", "v1/l-single-loss/client.pcap.zst", 1728, "e87e1389da5b4978f03ddaa0b010029c633c00000101080a9f3344bcc0992def1e0c20039e54225f9e120dc9"},
	{"dup-ack-inside-segment", "v1/o-tso-emu/server.pcap.zst", 2352, "1389a8e2032603c9b185fca9f018003fa5a900000101080a3852eecdd1df2a341e1a200f6648ef8d7ef866d7d966c32391ad6990005160c9ff280101"},
	{"dup-ack-inside-segment", "v1/o-tso-emu/server.pcap.zst", 2543, "a8e21389b185fca903262a9de010202b2bfc00000101080ad1df2a633852eecd0101050a032635b5032656fd1e0c2003d966c32391ad9064"},
	{"dup-ack-inside-segment", "v1/o-tso-emu/server.pcap.zst", 2548, "a8e21389b185fca903262a9de010202bcdae00000101080ad1df2a643852eecd0101050a032667a10326835d1e0c2003d966c32391ad9064"},
	{"silence-to-the-end", "v1/f-dead-stream/client.pcap.zst", 105, "138992f93864a82577170f29b010005363a200000101080a9c6fb08272745ee71e0c20030bc71e6f6ab16a23"},
	{"silence-to-the-end", "v1/f-dead-stream/client.pcap.zst", 3995, "92f9138977170f293864a825f010003fbab900000101080a72747feb9c6fb0821e1a200f9f2d55475f8a715a0bc71e6f6ae1f003000000014e200101"},
	{"scale-unanswered", "v1/k-many-short/client.pcap.zst", 4751, "e0211389235fd1a100000000d002faf002ed0000020405b40402080af3a0374b000000000103030a1e0c10014ebeee053b18e68a"},
	{"scale-unanswered", "v1/k-many-short/client.pcap.zst", 5035, "1389e02100000000235fd1a2601400009f1300001e048001"},
	{"capture-times-out-of-order", "v0/upload/server.pcap.zst", 1961, "d4bd13896e257af15c7d5fc6d01003ea477c00000101080ab17cd5d4131bdabc1e142005032afe7391c6f0010008a7a505945dc3"},
	{"capture-times-out-of-order", "v0/upload/server.pcap.zst", 1962, "d4bd13896e254e415c7d5fc6d01003ea747000000101080ab17cd5ab131bdaa11e142005032afe7391c66fa500087af50594f19d"},
	{"rtt-of-reset", "v1/h-csum-flip-two/server.pcap.zst", 981, "c42513897b01139da2eb5bafc01405103ec900000101080adc727b0fc890090f1e0c60006adf98585fb06bbf1e048006"},
	{"token-of-third-ack-version", "suites/pd-mp_capable_v1_bind_tcpfallback_wrongver_3rd_ack-ipv4.pcap.zst", 3, "b37f1f90000000014c9fd072a0100101781700001e1400010200000000000000a18faa886ac1efc0"},
	{"dsack-above-ack", "suites/simult-gNo1SK-10008-connector.pcap.zst", 577, "27188506b345b9c7ee310f81e0100487184200000101080a1855b5c4decac8810101050aee315d29ee31bfc51e0c20030f741a75256e9da8"},
	{"dsack-above-ack", "suites/simult-gNo1SK-10008-connector.pcap.zst", 619, "27188506b345b9c7ee31579de01004db184200000101080a1855b5ebdecac8b50101050aee31b4adee31ba391e0c20030f741a75256e9da8"},
	{"dup-ack-of-reset", "suites/pd-mp_capable_v1_bind_tcpfallback_flagB_3rd_ack-ipv4.pcap.zst", 5, "9dd11f900000000130aad8985018010150050000"},
	{"dup-ack-of-reset", "suites/pd-mp_capable_v1_bind_tcpfallback_flagB_3rd_ack-ipv4.pcap.zst", 8, "9dd11f90000001f530aad8985014010150090000"},
	{"timestamp-of-reset", "suites/pd-syscalls_connect_reset_poll-ipv4.pcap.zst", 2, "1f90dc1800000000110914e08014ffff97e000000101080a000002bca03e30ac"},
	{"mss-below-zero", "suites/conn-a9YPCk-ns1-ns1-TCP-MPTCP-10.0.1.1-10002-listener.pcap.zst", 1, "ab0c27123f3efa2c00000000a002ffd7163000000204ffd70402080a13ce8398000000000103030a"},
	{"owin-below-zero", "suites/pd-fastclose_receive_fastclose_with_rst_multi_v4-ipv4.pcap.zst", 7, "1f90de49a6ffc3b9000003e980100393ad6500001e0c2003b810457db3420d8d"},
	{"owin-below-zero", "suites/pd-fastclose_receive_fastclose_with_rst_multi_v4-ipv4.pcap.zst", 8, "de491f9000000001a6ffc3b9a01801c2a67400001e14010176629587bd57b7570200000000000000"},
	{"port-reused-with-same-isn", "suites/pd-fastclose_receive_fastclose_with_rst_v4-ipv4.pcap.zst", 1, "e3491f9000000000000000008002ffffd6c40000020405b4010303071e040101"},
	{"port-reused-with-same-isn", "suites/pd-fastclose_receive_fastclose_with_rst_v4-ipv4.pcap.zst", 9, "e3491f900000000000000000a002ffffc8050000020405b4010303071e0c10006dd771ae0000002a"},
}

// TestQuotes compares the packets in docs/differences.md with the captures, if these are there.
func TestQuotes(t *testing.T) {
	text, err := os.ReadFile("../../docs/differences.md")
	assert.NilError(t, err)
	found := 0
	for _, q := range quotes {
		if !strings.Contains(string(text), q.tcp) || !strings.Contains(string(text), strings.TrimSuffix(q.capture, ".pcap.zst")) {
			t.Errorf("docs/differences.md does not quote packet %d of %s", q.packet, q.capture)
		}
		path := locate(t, q.capture)
		if path == "" {
			continue
		}
		found++
		if want, _ := hex.DecodeString(q.tcp); !bytes.Contains(packetBytes(t, path, q.packet), want) {
			t.Errorf("packet %d of %s does not hold %s", q.packet, q.capture, q.tcp)
		}
	}
	assert.Check(t, found != 0, "none of the quoted captures is there")
	for _, name := range names() {
		assert.Check(t, strings.Contains(string(text), "`"+name+"`"), "docs/differences.md does not tell of %s", name)
	}
}

// names returns the names of all exceptions.
func names() (all []string) {
	for _, e := range tsharkExceptions {
		all = append(all, e.name)
	}
	for _, e := range tcptraceExceptions {
		all = append(all, e.name)
	}
	return all
}

// locate returns the path of a capture, or nothing if it would be in the folder beside the
// repository, and that is absent.
func locate(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(bundled, filepath.FromSlash(name))
	if _, err := os.Stat(path); err == nil {
		return path
	}
	for _, path := range testrun.SharedFiles(t, name) {
		return path
	}
	return ""
}

// packetBytes returns what a capture holds of one packet.
func packetBytes(t *testing.T, path string, n uint64) []byte {
	t.Helper()
	source, err := capture.Open([]string{path}, capture.Options{})
	assert.NilError(t, err)
	defer source.Close()
	var raw capture.Raw
	for {
		if err := source.Next(&raw); err != nil {
			t.Fatal(errors.Join(errors.New(path), err))
		}
		if raw.FileNum == n {
			return raw.Data
		}
	}
}
