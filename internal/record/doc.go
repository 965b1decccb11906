// Package record writes plain Go values as short sequences of bytes and reads them again:
// structs, pointers, lists, texts, numbers and truth values. The types need no methods. A zero
// value costs a bit; a text that comes repeatedly costs a number. A nil pointer stays different
// from a pointer to zero, and a nil list from an empty list. Only this process reads the bytes,
// so they contain no version and no names. A checksum shows whether the bytes have changed.
package record
