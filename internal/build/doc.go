// Package build makes the document of package report from what packages metrics and
// pair measured.
package build
