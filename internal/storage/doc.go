// Package storage opens files of the system and objects in object storage. A name that begins
// with a scheme, as s3://bucket/key, is an object: a [Backend] reads and writes it. Any other
// name is a file of the system. For files, the functions here do the same as those of package os.
//
// A program without a backend refuses names with a scheme and says which build takes them.
package storage
