// Package record writes plain Go values as short runs of bytes and reads them again:
// structs, pointers, lists, texts, numbers and truth values, without a method of their
// own. What is zero costs a bit, what comes again and again a number. A nil pointer and
// one to a zero, a nil list and an empty one stay different. Nobody but this process
// reads the bytes, so that there is no version and no name in them; a checksum shows
// whether they are those that were written.
package record
