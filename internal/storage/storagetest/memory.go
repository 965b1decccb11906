// Package storagetest has a storage in memory, for tests of packages that read and write objects.
package storagetest

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"mpanalyze/internal/storage"
)

// Memory is a storage of one bucket. Tests that use it must not run in parallel.
type Memory struct {
	mutex   sync.Mutex
	objects map[string][]byte // by name
	// Refused has the names that cannot be written.
	Refused map[string]bool
}

// Use makes a new storage and sets it as the program's backend until the end of the test.
func Use(t testing.TB) *Memory {
	t.Helper()
	m := &Memory{objects: map[string][]byte{}, Refused: map[string]bool{}}
	storage.Use(m)
	t.Cleanup(func() { storage.Use(nil) })
	return m
}

// Set makes an object, or replaces it.
func (m *Memory) Set(name string, content []byte) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.objects[name] = content
}

// Get returns the content of an object; false where there is none.
func (m *Memory) Get(name string) ([]byte, bool) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	content, found := m.objects[name]
	return content, found
}

// Names returns the names of all objects.
func (m *Memory) Names() []string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return slices.Sorted(maps.Keys(m.objects))
}

// files returns the objects as a file system.
func (m *Memory) files() fstest.MapFS {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	out := fstest.MapFS{}
	for name, content := range m.objects {
		root, key, _ := storage.Split(name)
		out[path.Join(strings.ReplaceAll(root, "://", "/"), key)] = &fstest.MapFile{Data: content, Mode: 0o666, ModTime: time.Unix(1e9, 0)}
	}
	return out
}

func inFiles(name string) string {
	root, key, _ := storage.Split(name)
	return path.Join(strings.ReplaceAll(root, "://", "/"), key)
}

// plain returns an error of the file system without the names of its files.
func plain(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &storage.Error{What: "the storage has no such object", Hint: "check the name", Err: fs.ErrNotExist}
	}
	return err
}

// identified is a file with the name of its object.
type identified struct {
	fs.FileInfo
	name string
}

func (i identified) Sys() any { return storage.Identity{Name: i.name, Tag: i.ModTime().String()} }

// Stat implements [storage.Backend].
func (m *Memory) Stat(name string) (fs.FileInfo, error) {
	info, err := fs.Stat(m.files(), inFiles(name))
	if err != nil {
		return nil, plain(err)
	}
	return identified{info, name}, nil
}

// Open implements [storage.Backend].
func (m *Memory) Open(name string) (io.ReadCloser, error) {
	content, found := m.Get(name)
	if !found {
		return nil, plain(fs.ErrNotExist)
	}
	return io.NopCloser(bytes.NewReader(content)), nil
}

// ReadDir implements [storage.Backend].
func (m *Memory) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := fs.ReadDir(m.files(), inFiles(name))
	return entries, plain(err)
}

// Put implements [storage.Backend].
func (m *Memory) Put(name string, content io.ReadSeeker, size int64) error {
	if m.Refused[name] {
		return &storage.Error{What: "the storage refuses access (403)", Hint: "check the credentials", Err: fs.ErrPermission}
	}
	text, err := io.ReadAll(content)
	if err == nil && int64(len(text)) != size {
		err = io.ErrUnexpectedEOF
	}
	if err == nil {
		m.Set(name, text)
	}
	return err
}
