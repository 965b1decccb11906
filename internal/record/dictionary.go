package record

import (
	"encoding/binary"
	"hash/maphash"
	"strings"
	"unsafe"
)

// Dictionary numbers texts and shared lists that come again. A text gets a number
// when it comes for the second time, so that those of which there is one each, as
// addresses and tokens, do not fill the dictionary.
type Dictionary struct {
	texts  []string       // by number; bounded by maxTexts and maxTextBytes
	textAt map[string]int // numbers of texts
	bytes  int            // of all texts
	lists  []list         // by number; bounded by maxLists
	listAt map[list]int   // numbers of lists
	seed   maphash.Seed
	seen   [seenTexts]uint32 // of texts that came, by a part of their hash, another part
	recent [recentTexts]int  // numbers of texts that came lately, by their length and last byte
}

const (
	maxTexts     = 1 << 14
	maxTextBytes = 1 << 20
	maxLists     = 1 << 12
	seenTexts    = 1 << 12
	recentTexts  = 1 << 6
)

// list is where the items of a shared list lie, and how many they are. Nobody changes
// them.
type list struct {
	items unsafe.Pointer
	n     int
}

// NewDictionary returns one without entries.
func NewDictionary() *Dictionary {
	return &Dictionary{textAt: map[string]int{}, listAt: map[list]int{}, seed: maphash.MakeSeed()}
}

// A number in the dictionary, and a length of what is not in it, differ in the lowest
// bit.
func appendNumber(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)<<1|1) }
func appendLength(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)<<1) }

// appendText appends a text or its number. Most are one of a few short ones.
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
		s = strings.Clone(s) // it may be a part of a long one
		d.textAt[s] = len(d.texts)
		d.texts = append(d.texts, s)
		d.bytes += len(s)
		return appendNumber(b, len(d.texts)-1)
	}
	return append(appendLength(b, len(s)), s...)
}

// again reports whether a text came before, as far as that is remembered.
func (d *Dictionary) again(s string) bool {
	h := maphash.String(d.seed, s)
	slot, mark := &d.seen[h%seenTexts], uint32(h>>32)|1
	was := *slot
	*slot = mark
	return was == mark
}

// numberOf returns the number of a shared list, which it gets if there is room.
func (d *Dictionary) numberOf(l list) (n int, ok bool) {
	if n, ok = d.listAt[l]; ok || len(d.lists) == maxLists {
		return n, ok
	}
	n = len(d.lists)
	d.listAt[l] = n
	d.lists = append(d.lists, l)
	return n, true
}
