// Package storage opens what is named, wherever it is. A name that begins with a scheme, as
// s3://bucket/key, is an object: a [Backend] reads and writes it. Any other name is a file of
// the system, for which the functions here do what those of package os do.
//
// A program without a backend refuses names with a scheme and says which build takes them.
package storage
