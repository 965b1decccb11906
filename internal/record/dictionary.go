package record

import (
	"encoding/binary"
	"hash/maphash"
	"strings"
	"unsafe"
)

// Dictionary gives numbers to texts and shared lists that come repeatedly. A text gets a number
// when it comes for the second time, so that texts that come only once, as addresses and
// tokens, do not fill the dictionary.
type Dictionary struct {
	texts  []string       // by number; bounded by maxTexts and maxTextBytes
	textAt map[string]int // numbers of texts
	bytes  int            // of all texts
	lists  []list         // by number; bounded by maxLists
	listAt map[list]int   // numbers of lists
	seed   maphash.Seed
	seen   [seenTexts]uint32 // texts that came before: one part of the hash is the index, another the value
	recent [recentTexts]int  // numbers of the latest texts, by their length and last byte
}

const (
	maxTexts     = 1 << 14
	maxTextBytes = 1 << 20
	maxLists     = 1 << 12
	seenTexts    = 1 << 12
	recentTexts  = 1 << 6
)

// list is the address and the number of the items of a shared list. The items never change.
type list struct {
	items unsafe.Pointer
	n     int
}

// NewDictionary returns an empty dictionary.
func NewDictionary() *Dictionary {
	return &Dictionary{textAt: map[string]int{}, listAt: map[list]int{}, seed: maphash.MakeSeed()}
}

// appendNumber appends a number in the dictionary, appendLength the length of a text or list
// that is not in it. The lowest bit tells which of both it is.
func appendNumber(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)<<1|1) }
func appendLength(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)<<1) }

// appendText appends a text or its number. It looks among recent texts first, because most
// texts are one of a few short ones.
func (d *Dictionary) appendText(b []byte, s string) []byte {
	if s == "" {
		return append(b, 0)
	}
	lately := &d.recent[(len(s)*7+int(s[len(s)-1]))%recentTexts]
	if *lately < len(d.texts) && d.texts[*lately] == s {
		return appendNumber(b, *lately)
	}
	if n, known := d.textAt[s]; known {
		*lately = n
		return appendNumber(b, n)
	}
	if d.again(s) && len(d.texts) < maxTexts && d.bytes+len(s) <= maxTextBytes {
		s = strings.Clone(s) // s may be a part of a long text, which would stay in memory
		d.textAt[s] = len(d.texts)
		d.texts = append(d.texts, s)
		d.bytes += len(s)
		return appendNumber(b, len(d.texts)-1)
	}
	return append(appendLength(b, len(s)), s...)
}

// again reports whether a text came before. It forgets a text when another one takes its place
// in seen.
func (d *Dictionary) again(s string) bool {
	h := maphash.String(d.seed, s)
	slot, mark := &d.seen[h%seenTexts], uint32(h>>32)|1
	was := *slot
	*slot = mark
	return was == mark
}

// numberOf returns the number of a shared list. A new list gets a number if there is room; else
// ok is false.
func (d *Dictionary) numberOf(l list) (n int, ok bool) {
	if n, ok = d.listAt[l]; ok || len(d.lists) == maxLists {
		return n, ok
	}
	n = len(d.lists)
	d.listAt[l] = n
	d.lists = append(d.lists, l)
	return n, true
}
