package packet

import "encoding/binary"

// FastOpen is the TCP Fast Open option of a SYN or SYN/ACK (RFC 7413, Section 4.1.1). It is empty
// if there is no such option, or if RFC 7413 does not allow its length.
type FastOpen struct {
	Form   FastOpenForm
	Len    uint8    // bytes of the cookie; 0 asks for one
	Cookie [16]byte // valid up to Len
}

// FastOpenForm says which option kind a header uses for TCP Fast Open.
type FastOpenForm uint8

// The forms.
const (
	NoFastOpen           FastOpenForm = iota
	FastOpenKind                      // kind 34
	FastOpenExperimental              // kind 254 with the experiment identifier 0xF989 (RFC 7413, Section 4.1.1; RFC 6994)
)

// Option kinds and lengths of TCP Fast Open.
const (
	kindFastOpen     = 34
	kindExperimental = 254
	exIDFastOpen     = 0xf989
	minCookie        = 4
	maxCookie        = 16
)

// fastOpen reads an option of kind 34 or 254, whole.
func (s *Segment) fastOpen(b []byte) {
	form, cookie := FastOpenKind, b[2:]
	if b[0] == kindExperimental {
		if len(cookie) < 2 || binary.BigEndian.Uint16(cookie) != exIDFastOpen {
			return
		}
		form, cookie = FastOpenExperimental, cookie[2:]
	}
	n := len(cookie)
	if n != 0 && (n < minCookie || n > maxCookie || n%2 != 0) {
		return
	}
	s.FastOpen = FastOpen{Form: form, Len: uint8(n)}
	copy(s.FastOpen.Cookie[:], cookie)
}

// Bytes returns the cookie. It is empty if the option asks for a cookie.
func (f *FastOpen) Bytes() []byte { return f.Cookie[:f.Len] }
