package mptcp

import (
	"bytes"
	"errors"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

func TestSubtypeString(t *testing.T) {
	for sub, want := range map[Subtype]string{
		0: "MP_CAPABLE", 1: "MP_JOIN", 2: "DSS", 3: "ADD_ADDR", 4: "REMOVE_ADDR", 5: "MP_PRIO", 6: "MP_FAIL",
		7: "MP_FASTCLOSE", 8: "MP_TCPRST", 9: "subtype 9", 14: "subtype 14", 15: "MP_EXPERIMENTAL",
		SubNone: "MPTCP without subtype",
	} {
		assert.Check(t, is.Equal(sub.String(), want), "subtype %d", uint8(sub))
	}
}

func TestSubtypeKnown(t *testing.T) {
	for sub := range Subtype(16) {
		unassigned := sub >= 9 && sub <= 14 // RFC 8684, Section 7.2
		assert.Check(t, sub.Known() != unassigned, "subtype %d: Known %v", uint8(sub), sub.Known())
	}
	assert.Check(t, !SubNone.Known(), "the missing subtype is known")
}

func TestWalk(t *testing.T) {
	type found struct {
		Sub Subtype
		Opt string
	}
	for _, c := range []struct {
		name string
		hex  string
		stop int // the callback ends Walk after so many options
		want []found
	}{
		{"nothing", "", 9, nil},
		{"one byte", "1e", 9, nil},
		{"two options", "1e035a 1e0440ff", 9, []found{{SubPrio, "\x1e\x03\x5a"}, {SubRemoveAddr, "\x1e\x04\x40\xff"}}},
		{"ended by the callback", "1e035a 1e0440ff", 1, []found{{SubPrio, "\x1e\x03\x5a"}}},
		{"no subtype", "1e02 1e035a", 9, []found{{SubNone, "\x1e\x02"}, {SubPrio, "\x1e\x03\x5a"}}},
		{"unassigned subtype", "1e03e0", 9, []found{{14, "\x1e\x03\xe0"}}},
		{"length 0", "1e035a 1e0040", 9, []found{{SubPrio, "\x1e\x03\x5a"}}},
		{"length 1", "1e035a 1e0140", 9, []found{{SubPrio, "\x1e\x03\x5a"}}},
		{"length past the end", "1e035a 1e0440", 9, []found{{SubPrio, "\x1e\x03\x5a"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []found
			Walk(unhex(t, c.hex), func(sub Subtype, opt []byte) bool {
				got = append(got, found{sub, string(opt)})
				return len(got) < c.stop
			})
			assert.Check(t, is.DeepEqual(got, c.want))
		})
	}
}

func TestWalkAllocatesNothing(t *testing.T) {
	b := unhex(t, "1e035a 1e0440ff 1e0c60006adf98585fb06bbf")
	var total int
	if n := testing.AllocsPerRun(100, func() {
		Walk(b, func(_ Subtype, opt []byte) bool {
			total += len(opt)
			return Check(opt) == nil
		})
	}); n != 0 {
		t.Errorf("%v allocations for a walk over legal options, want 0", n)
	}
	assert.Check(t, total%len(b) == 0, "the walks saw %d bytes, not a multiple of %d", total, len(b))
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, hex string
		want      error
	}{
		{"unassigned subtype, any length", "1e07 90 01020304", nil},
		{"private subtype", "1e03 f0", nil},
		{"no subtype", "1e02", &LengthError{SubNone, 2}},
		{"empty", "", &LengthError{SubNone, 0}},
		{"unassigned subtype, wrong length byte", "1e08 90 01020304", &LengthError{9, 7}},
		{"another kind", "0804 9001", ErrSubtype},
		{"bad MP_CAPABLE", "1e05 01 01 00", &LengthError{SubCapable, 5}},
		{"bad MP_JOIN", "1e04 10 01", &LengthError{SubJoin, 4}},
		{"bad DSS", "1e05 20 00 00", &LengthError{SubDSS, 5}},
		{"bad ADD_ADDR", "1e05 30 00 00", &LengthError{SubAddAddr, 5}},
		{"bad REMOVE_ADDR", "1e03 40", &LengthError{SubRemoveAddr, 3}},
		{"bad MP_PRIO", "1e05 50 00 00", &LengthError{SubPrio, 5}},
		{"bad MP_FAIL", "1e04 60 00", &LengthError{SubFail, 4}},
		{"bad MP_FASTCLOSE", "1e04 70 00", &LengthError{SubFastclose, 4}},
		{"bad MP_TCPRST", "1e03 80", &LengthError{SubTCPRST, 3}},
		{"unknown version", "1e04 02 01", &VersionError{2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Check(unhex(t, c.hex))
			assert.Check(t, (got == nil) == (c.want == nil) && (got == nil || got.Error() == c.want.Error()), "got %v, want %v", got, c.want)
		})
	}
}

func TestErrorTexts(t *testing.T) {
	for want, err := range map[string]error{
		"MP_JOIN option of 13 bytes: no form of that length":                           &LengthError{SubJoin, 13},
		"MP_CAPABLE option of version 3: only 0 (RFC 6824) and 1 (RFC 8684) are known": &VersionError{3},
	} {
		assert.Check(t, is.Equal(err.Error(), want))
	}
}

// reserved is, for each subtype, the bits of the third and fourth byte that
// the RFCs reserve: receivers ignore them, builders write zero.
func reserved(opt []byte) (third, fourth byte) {
	switch SubtypeOf(opt) {
	case SubJoin:
		if len(opt) == 24 {
			return 0x0f, 0xff
		}
		return 0x0e, 0
	case SubDSS:
		return 0x0f, 0xe0
	case SubAddAddr:
		if n := len(opt); n == 16 || n == 18 || n == 28 || n == 30 {
			return 0x0f, 0
		}
		if opt[2]&1 != 0 {
			return 0x0e, 0
		}
		return 0, 0 // version 0
	case SubRemoveAddr:
		return 0x0f, 0
	case SubPrio:
		return 0x0e, 0
	case SubFail, SubFastclose:
		return 0x0f, 0xff
	}
	return 0, 0
}

// checkRoundTrip parses b and, if that succeeds, demands that the value append
// to b without its reserved bits, and that those bytes parse to the value.
func checkRoundTrip[T comparable, P appender[T]](t *testing.T, parse func([]byte, P) error, b []byte) {
	var x, again T
	err := parse(b, &x)
	check := Check(b)
	assert.Check(t, errors.Is(err, ErrSubtype) || (err == nil) == (check == nil), "% x: parser says %v, Check %v", b, err, check)
	if err != nil {
		return
	}
	third, fourth := reserved(b)
	want := bytes.Clone(b)
	want[2] &^= third
	if len(b) > 3 {
		want[3] &^= fourth
	}
	out := P(&x).Append(nil)
	assert.Check(t, bytes.Equal(out, want), "% x: appends to % x, want % x", b, out, want)
	if err := parse(out, &again); err != nil || again != x {
		t.Errorf("% x: appends to % x, which parses to %+v, %v; want %+v", b, out, again, err, x)
	}
}

func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		"1e040101", "1e0c0081ac872bda5c672b2d", "1e180181cc907e9c357ef1e80e8a3de8dee4b5d90200278f", "1e0402ff",
		"1e0c10018972700b80530f27", "1e1010022e974dac571cdbe7a178d1b0", "1e181100906c4377a05f31707592a2e8ef52956db5484231",
		"1e042000", "1e0820e1032afe73", "1e1c200fda6afa363c24a1bb30824f6598219e31000a370100c04ba0", "1e142005032afe7391ace32600000001005fbb28",
		"1e0834030a020101", "1e1230030a0202021e61e111c4eb26c7bac7", "1e143101fd000002000200000000000000000002", "1e1034030a0202020000000000000001",
		"1e044001", "1e03500000", "1e045101", "1e0c60006adf98585fb06bbf", "1e0c7000938b94deccc5a500", "1e048006", "1e02", "1e0790", "1e", "",
	} {
		f.Add(unhex(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		checkOption(t, b)
		if len(b) >= 2 && len(b) < 256 { // the same with a header that is right
			framed := bytes.Clone(b)
			framed[0], framed[1] = Kind, byte(len(b))
			checkOption(t, framed)
		}
		at := 0
		Walk(b, func(sub Subtype, opt []byte) bool {
			assert.Check(t, bytes.Equal(opt, b[at:at+len(opt)]) && int(opt[1]) == len(opt) && sub == SubtypeOf(opt), "% x: Walk gives % x as %v at %d", b, opt, sub, at)
			at += len(opt)
			return true
		})
	})
}

func checkOption(t *testing.T, b []byte) {
	checkRoundTrip(t, ParseCapable, b)
	checkRoundTrip(t, ParseJoin, b)
	checkRoundTrip(t, ParseDSS, b)
	checkRoundTrip(t, ParseAddAddr, b)
	checkRoundTrip(t, ParseRemoveAddr, b)
	checkRoundTrip(t, ParsePrio, b)
	checkRoundTrip(t, ParseFail, b)
	checkRoundTrip(t, ParseFastclose, b)
	checkRoundTrip(t, ParseTCPRST, b)
}
