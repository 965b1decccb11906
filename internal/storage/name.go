package storage

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// schemes lists the schemes with which names of objects begin.
var schemes = []string{"s3", "gs", "azblob", "https", "http"}

// Is reports whether a name is the name of an object. ./NAME opens a file with such a name.
func Is(name string) bool {
	scheme, _, found := strings.Cut(name, "://")
	return found && slices.Contains(schemes, scheme)
}

// Split splits the name of an object into root, path and query. The root is the scheme and the
// bucket or host. The query begins with its "?". The "/" between root and path is in neither.
func Split(name string) (root, rest, query string) {
	name, query, found := strings.Cut(name, "?")
	if found {
		query = "?" + query
	}
	scheme, rest, _ := strings.Cut(name, "://")
	bucket, rest, _ := strings.Cut(rest, "/")
	return scheme + "://" + bucket, rest, query
}

// Join returns the name of a file in a directory, as [filepath.Join] does. The query of an
// object stays behind its path.
func Join(dir, file string) string {
	if !Is(dir) {
		return filepath.Join(dir, file)
	}
	root, rest, query := Split(dir)
	return root + path.Join("/", rest, file) + query
}

// Dir returns the directory of a name, as [filepath.Dir] does.
func Dir(name string) string {
	if !Is(name) {
		return filepath.Dir(name)
	}
	root, rest, query := Split(name)
	return root + path.Dir("/"+rest) + query
}

// IsAbs reports whether a name does not depend on a directory.
func IsAbs(name string) bool { return Is(name) || filepath.IsAbs(name) }
