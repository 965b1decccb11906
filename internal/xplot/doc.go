// Package xplot reads xplot files, for tests of the files that this program and
// others write.
package xplot
