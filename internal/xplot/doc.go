// Package xplot reads xplot files. Tests use it for the files of this program and of
// others.
package xplot
