package parquet

import "encoding/binary"

// Numbers of the format: physical types, converted types, encodings, codecs.
const (
	physicalBoolean, physicalInt64, physicalDouble, physicalBytes = 0, 2, 5, 6
	convertedText, convertedUnsigned                              = 0, 14
	encodingPlain, encodingRuns                                   = 0, 3
	codecZstd                                                     = 6
	optional                                                      = 1
)

var physical = map[Type]int{
	Text: physicalBytes, Integer: physicalInt64, Unsigned: physicalInt64, Number: physicalDouble, Boolean: physicalBoolean, Time: physicalInt64,
}

// footer returns what stands behind the row groups, with its length.
func (w *Writer) footer() []byte {
	var t thrift
	t.begin()
	t.int32(1, 2) // version of the format
	t.list(2, structType, len(w.columns)+1)
	t.begin()
	t.text(4, "schema")
	t.int32(5, len(w.columns))
	t.end()
	for i := range w.columns {
		t.schema(w.columns[i].Column)
	}
	t.int64(3, w.rows)
	t.list(4, structType, w.groups)
	t.b = append(t.b, w.groupTexts...)
	t.text(6, "mpanalyze")
	t.end()
	return append(binary.LittleEndian.AppendUint32(t.b, uint32(len(t.b))), magic...)
}

// schema is a SchemaElement.
func (t *thrift) schema(c Column) {
	t.begin()
	t.int32(1, physical[c.Type])
	t.int32(3, optional)
	t.text(4, c.Name)
	switch c.Type {
	case Text:
		t.int32(6, convertedText)
		t.open(10)
		t.open(1) // STRING
		t.end()
		t.end()
	case Unsigned: // integers without annotation have a sign
		t.int32(6, convertedUnsigned)
		t.open(10)
		t.open(10) // INTEGER
		t.int8(1, 64)
		t.field(2, boolFalse) // signed
		t.end()
		t.end()
	case Time: // nanoseconds have no converted type
		t.open(10)
		t.open(8)            // TIMESTAMP
		t.field(1, boolTrue) // UTC
		t.open(2)
		t.open(3) // NANOS
		t.end()
		t.end()
		t.end()
		t.end()
	}
	t.end()
}

// pageHeader is the PageHeader of a page.
func (t *thrift) pageHeader(rows, size, packed int) {
	t.begin()
	t.int32(1, 0) // data page
	t.int32(2, size)
	t.int32(3, packed)
	t.open(5)
	t.int32(1, rows)
	t.int32(2, encodingPlain)
	t.int32(3, encodingRuns)
	t.int32(4, encodingRuns)
	t.end()
	t.end()
}

// chunk is where a column of a row group stands.
type chunk struct {
	rows         int
	size, packed int // bytes of the page and its header
	at           int64
}

// columnChunk is the ColumnChunk of a column.
func (t *thrift) columnChunk(c Column, at chunk) {
	t.begin()
	t.int64(2, 0) // this metadata is in the footer only
	t.open(3)
	t.int32(1, physical[c.Type])
	t.list(2, int32Type, 2)
	t.b = binary.AppendVarint(binary.AppendVarint(t.b, encodingPlain), encodingRuns)
	t.list(3, binaryType, 1)
	t.item(c.Name)
	t.int32(4, codecZstd)
	t.int64(5, int64(at.rows))
	t.int64(6, int64(at.size))
	t.int64(7, int64(at.packed))
	t.int64(9, at.at)
	t.end()
	t.end()
}
