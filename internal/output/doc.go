// Package output writes files whole or not at all, and never over a file that is
// read.
//
// A file is written beside its name, in the same directory, and renamed when it is
// whole: a full disk, an error or a killed program leaves what was there before. Pipes
// and devices cannot be replaced and are written directly. What a killed program
// leaves behind begins with [Prefix].
package output
