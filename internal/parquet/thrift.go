package parquet

import "encoding/binary"

// The types of the compact protocol of Thrift, in which Parquet has its headers.
const (
	boolTrue   = 1
	boolFalse  = 2
	int8Type   = 3
	int32Type  = 5
	int64Type  = 6
	binaryType = 8
	listType   = 9
	structType = 12
)

// thrift is a text of the compact protocol. Fields are given in the order of their numbers.
type thrift struct {
	b    []byte
	last []byte // number of the last field of each open struct
}

// begin begins a struct that is no field: the whole text, or an item of a list.
func (t *thrift) begin() { t.last = append(t.last, 0) }

// end ends the struct that began last.
func (t *thrift) end() {
	t.b = append(t.b, 0)
	t.last = t.last[:len(t.last)-1]
}

func (t *thrift) field(number, kind byte) {
	last := &t.last[len(t.last)-1]
	t.b = append(t.b, (number-*last)<<4|kind)
	*last = number
}

// open begins a struct as a field.
func (t *thrift) open(number byte) {
	t.field(number, structType)
	t.begin()
}

func (t *thrift) int32(number byte, v int) {
	t.field(number, int32Type)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *thrift) int64(number byte, v int64) {
	t.field(number, int64Type)
	t.b = binary.AppendVarint(t.b, v)
}

func (t *thrift) int8(number, v byte) {
	t.field(number, int8Type)
	t.b = append(t.b, v)
}

func (t *thrift) text(number byte, s string) {
	t.field(number, binaryType)
	t.item(s)
}

// item is a text in a list.
func (t *thrift) item(s string) { t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...) }

// list begins a list of n items as a field; the items follow.
func (t *thrift) list(number, kind byte, n int) {
	t.field(number, listType)
	if n < 15 {
		t.b = append(t.b, byte(n)<<4|kind)
		return
	}
	t.b = binary.AppendUvarint(append(t.b, 15<<4|kind), uint64(n))
}
