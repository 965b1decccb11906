package parquet

import (
	"strconv"
	"time"

	library "github.com/parquet-go/parquet-go"
)

// Type is the type of a column's values.
type Type int

// The types of values, and the texts that stand for a value.
const (
	Text     Type = iota // UTF-8
	Integer              // 64 bits, signed
	Unsigned             // 64 bits, without sign
	Number               // a double
	Boolean              // true or false
	Time                 // RFC 3339, 1678 to 2262; nanoseconds since the Unix epoch, UTC
)

// node is the type in the library.
func (t Type) node() library.Node {
	switch t {
	case Integer:
		return library.Leaf(library.Int64Type)
	case Unsigned:
		return library.Uint(64)
	case Number:
		return library.Leaf(library.DoubleType)
	case Boolean:
		return library.Leaf(library.BooleanType)
	case Time:
		return library.Timestamp(library.Nanosecond)
	}
	return library.Encoded(library.String(), &library.RLEDictionary) // most texts repeat
}

// value returns the value that a text stands for.
func (t Type) value(text string) (library.Value, error) {
	switch t {
	case Integer:
		n, err := strconv.ParseInt(text, 10, 64)
		return library.Int64Value(n), err
	case Unsigned:
		n, err := strconv.ParseUint(text, 10, 64)
		return library.Int64Value(int64(n)), err
	case Number:
		n, err := strconv.ParseFloat(text, 64)
		return library.DoubleValue(n), err
	case Boolean:
		yes, err := strconv.ParseBool(text)
		return library.BooleanValue(yes), err
	case Time:
		at, err := time.Parse(time.RFC3339Nano, text)
		return library.Int64Value(at.UnixNano()), err
	}
	return library.ValueOf(text), nil
}
