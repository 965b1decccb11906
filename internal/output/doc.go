// Package output writes complete files or none, and never overwrites a file that is read.
//
// A file is written in the directory of its name, under another name, and renamed when it
// is complete: after a full disk, an error or a killed program, the old file is still
// there. Pipes and devices cannot be replaced and are written directly. The names of files
// that a killed program leaves behind begin with [Prefix].
package output
