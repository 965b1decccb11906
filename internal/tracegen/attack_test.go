package tracegen

import (
	"bytes"
	"testing"
)

// Each attack is written the same each time, and is longer the more rounds it has.
func TestWriteAttack(t *testing.T) {
	write := func(name string, n int) []byte {
		var b bytes.Buffer
		w, err := NewWriter(&b, Format{})
		if err == nil {
			err = WriteAttack(w, name, n)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return b.Bytes()
	}
	names := map[string]bool{}
	for _, a := range Attacks() {
		names[a.Name] = true
		few, again, many := write(a.Name, 100), write(a.Name, 100), write(a.Name, 400)
		if !bytes.Equal(few, again) {
			t.Errorf("%s: two captures differ", a.Name)
		}
		if len(many) < 2*len(few) {
			t.Errorf("%s: %d bytes for 100 rounds, %d for 400", a.Name, len(few), len(many))
		}
	}
	if len(names) != len(Attacks()) {
		t.Errorf("%d attacks of %d names", len(Attacks()), len(names))
	}
	if err := WriteAttack(nil, "none", 1); err == nil {
		t.Error("an attack of no name was written")
	}
}
