package tracegen

import (
	"bytes"
	"errors"
	"testing"
)

// Each attack is written the same each time, and is longer the more rounds it has.
func TestWriteAttack(t *testing.T) {
	for _, a := range Attacks() {
		var written [3][]byte
		for i, n := range []int{100, 100, 400} {
			var b bytes.Buffer
			w, err := NewWriter(&b, Format{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(WriteAttack(w, a.Name, n), w.Flush()); err != nil {
				t.Fatalf("%s: %v", a.Name, err)
			}
			written[i] = b.Bytes()
		}
		if few, again, many := written[0], written[1], written[2]; !bytes.Equal(few, again) || len(many) < 2*len(few) {
			t.Errorf("%s: %d and %d bytes for 100 rounds, %d for 400; want equal ones, and more", a.Name, len(few), len(again), len(many))
		}
	}
	if err := WriteAttack(nil, "none", 1); err == nil {
		t.Error("an attack of no name was written")
	}
}
