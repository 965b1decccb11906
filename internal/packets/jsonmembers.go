package packets

import (
	"bytes"
	"encoding/json"
	"strconv"
)

// appendJSON appends an option or an event, which few packets have, as JSON.
func appendJSON(b []byte, v any) []byte {
	out := bytes.NewBuffer(b)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v) // JSON has all values of these types
	return out.Bytes()[:out.Len()-1]
}

// member appends the name of the next member of an object, behind a comma unless it is the first.
func member(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	return append(append(append(b, '"'), name...), `":`...)
}

// item begins the next item of a list: it appends a comma unless it is the first.
func item(b []byte) []byte {
	if b[len(b)-1] != '[' {
		b = append(b, ',')
	}
	return b
}

// appendPair appends a range as a list of two numbers.
func appendPair(b []byte, start, end int64) []byte {
	b = append(strconv.AppendInt(append(b, '['), start, 10), ',')
	return append(strconv.AppendInt(b, end, 10), ']')
}
