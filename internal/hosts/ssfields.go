package hosts

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// key is what a name in the details of a row means. Its form says how the value is read: a "number", also one that
// nobody asks for, since one that is cut shows that its row is; a number with "ms", and perhaps a percentage behind it;
// "two" numbers, of the field and the next one; the "memory" of skmem, and a "part" of it; "write" for write_seq, "una"
// for snd_una, and another "sequence" number. Of words without a colon, "rate" has one behind it, and "next" a word that
// nobody asks for; "known" is no congestion control. A field is "made" of what has no name. A row begins with a "state", or
// with a kind of "socket" before it; with an "other" word, or a name of the header, begins a line that is no such row.
type key struct {
	form  string // empty for a name that no version of ss that is known prints
	field Field
}

// keys are the rows of fields.txt.
var keys = func() map[string]key {
	all, next := make(map[string]key, 200), Field(0) // about as many names as the table has
	for _, row := range table("fields.txt") {
		for name := range strings.FieldsSeq(row[2]) {
			all[name] = key{row[0], unread}
			if row[1] == "+" {
				all[name] = key{row[0], next}
				next++
			}
		}
	}
	return all
}()

// FieldOf returns the field with a name; a name that no field has is an error of the program.
func FieldOf(name string) Field {
	k, ok := keys[name+":"]
	if !ok {
		k, ok = keys[name]
	}
	if !ok || k.field == unread {
		panic("hosts: no field has the name " + name)
	}
	return k.field
}

// details reads what stands behind the ends of a row: words, and names with values. broken
// says that the file ends in this line, so that its last value may be cut.
func (s *ssReader) details(text []byte, broken bool) {
	for {
		var word []byte
		if word, text = nextWord(text); len(word) == 0 || broken && len(text) == 0 {
			return
		}
		if colon := bytes.IndexByte(word, ':'); colon > 0 {
			s.pair(word[:colon+1], word[colon+1:])
		} else {
			text = s.word(word, text)
		}
	}
}

// word reads a word without a colon, and the one behind it if that belongs to it.
func (s *ssReader) word(word, text []byte) (rest []byte) {
	r := &s.row
	switch k := keys[string(word)]; k.form {
	case "rate":
		word, text = nextWord(text)
		word, _, _ = bytes.Cut(word, []byte("/"))
		s.rate(k.field, word)
	case "next":
		_, text = nextWord(text)
	case "word":
		r.set(k.field, 1)
	case "ulp":
		r.ULP = true
	case "":
		s.control(word)
	}
	return text
}

// control takes a word before the first number for the congestion control.
func (s *ssReader) control(word []byte) {
	r := &s.row
	if r.Has(RTO) || r.Has(Cwnd) || r.MPTCP || len(word) > 15 || word[0] < 'a' || word[0] > 'z' {
		return
	}
	if string(word) != s.lastControl { // a string of its own would be allocated for each row
		s.lastControl = string(word)
	}
	r.Control = s.lastControl
}

// rate reads a rate: 7191805bps, or 7.2Mbps as older versions print it.
func (s *ssReader) rate(f Field, word []byte) {
	word, isRate := bytes.CutSuffix(word, []byte("bps"))
	scale := 1.0
	if n := len(word); n > 0 {
		if i := bytes.IndexByte([]byte("KMGT"), word[n-1]); i >= 0 {
			word, scale = word[:n-1], math.Pow(1000, float64(i+1))
		}
	}
	v, ok := float(word)
	s.bad = s.bad || !ok || !isRate
	s.row.set(f, v*scale)
}

// pair reads a name with its value.
func (s *ssReader) pair(name, value []byte) {
	r, k := &s.row, keys[string(name)]
	switch k.form {
	case "":
		s.file.UnknownFields++
	case "number":
		s.number(k.field, value, true)
	case "ms":
		time, _, whole := bytes.Cut(value, []byte("ms"))
		s.number(k.field, time, whole)
	case "two":
		first, second, whole := bytes.Cut(value, []byte("/"))
		s.number(k.field, first, whole)
		s.number(k.field+1, second, whole)
	case "memory":
		s.memory(value)
	case "inode":
		r.Inode, _ = number(value)
	case "token":
		s.token(value)
	case "write":
		s.write, s.written = s.sequence(value)
	case "una":
		if una, ok := s.sequence(value); ok && s.written {
			r.set(Unacked, float64(int64(s.write-una)))
		}
	case "sequence":
		s.sequence(value)
	}
}

// number reads the value of a field. One that is no number, or not whole, shows that the row is cut.
func (s *ssReader) number(f Field, text []byte, whole bool) {
	v, ok := float(text)
	s.bad = s.bad || !ok || !whole
	s.row.set(f, v)
}

// memory reads skmem:(r0,rb131072,t0,tb46080,f3612,w7396,o0,bl0,d0).
func (s *ssReader) memory(value []byte) {
	value, closed := bytes.CutSuffix(bytes.TrimPrefix(value, []byte("(")), []byte(")"))
	s.bad = s.bad || !closed
	for len(value) > 0 {
		var part []byte
		part, value, _ = bytes.Cut(value, []byte(","))
		name := bytes.TrimRight(part, "0123456789")
		v, ok := number(part[len(name):])
		if k := keys[string(name)]; k.form == "part" && ok {
			s.row.set(k.field, float64(v))
		}
	}
}

// token reads token:96b4deb of a connection, and token:REMOTE(id:N)/LOCAL(id:N) of a subflow.
func (s *ssReader) token(value []byte) {
	r := &s.row
	remote, local, both := bytes.Cut(value, []byte("/"))
	ok := true
	if both {
		_, r.RemoteID, ok = tokenAndID(remote)
		r.ULP = true
	} else {
		local = remote
	}
	r.LocalToken, r.LocalID, r.HasToken = tokenAndID(local)
	s.bad = s.bad || !ok || !r.HasToken
}

// tokenAndID reads 4fa0185f(id:0); the id is -1 if it is not printed.
func tokenAndID(text []byte) (tok uint32, id int, ok bool) {
	digits, rest, printed := bytes.Cut(text, []byte("("))
	v, ok := hexadecimal(digits)
	n, ok2 := int64(-1), true
	if printed {
		n, ok2 = number(bytes.TrimSuffix(bytes.TrimPrefix(rest, []byte("id:")), []byte(")")))
	}
	return uint32(v), int(n), ok && ok2 && v <= math.MaxUint32
}

// hexadecimal reads up to 16 digits, in small letters.
func hexadecimal(b []byte) (v uint64, ok bool) {
	if len(b) > 16 || bytes.ContainsAny(b, "ABCDEF") {
		return 0, false
	}
	v, err := strconv.ParseUint(string(b), 16, 64)
	return v, err == nil
}

// sequence reads a data sequence number. iproute2 prints hexadecimal numbers up to version 6.5, and decimal
// ones from 6.6 on: a number that cannot be one base proves the other for what follows in the file.
func (s *ssReader) sequence(text []byte) (n uint64, ok bool) {
	switch {
	case bytes.ContainsAny(text, "abcdef"):
		s.base = 16
	case len(text) > 16:
		s.base = 10
	}
	n, err := strconv.ParseUint(string(text), s.base, 64)
	s.row.set(WriteSeq, 1)
	return n, err == nil
}
