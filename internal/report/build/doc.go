// Package build makes the document of package report out of what packages metrics and
// pair measured.
package build
