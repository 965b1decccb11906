package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"sync"
	"time"

	"mpanalyze/internal/storage"
)

// object is the description of an object by its store.
type object struct {
	size    int64
	changed time.Time
	tag     string // ETag or generation; empty for none
	stream  bool   // the store can send only the whole object, no ranges of bytes
}

// store is a bucket or a web server. Keys are paths in it, without a "/" in front.
type store interface {
	stat(ctx context.Context, key string) (object, error)
	// read returns length bytes from offset on. It returns errReplaced if the object is not the
	// same as o.
	read(ctx context.Context, key string, o object, offset, length int64) (io.ReadCloser, error)
	// list lists the entries of a directory, whose key is empty or ends with "/". It returns at
	// most this number of entries, or all if most is 0.
	list(ctx context.Context, dir string, most int) ([]fs.DirEntry, error)
	put(ctx context.Context, key string, content io.Reader, size int64) error
}

// maxKnown bounds backend.known. An entry takes some 300 bytes.
const maxKnown = 1 << 17

// backend is the [storage.Backend] of this program.
type backend struct {
	ctx    context.Context // of reading
	policy policy

	mutex  sync.Mutex
	stores map[string]store // by root and query
	// known holds the first answer for each name, of a request or a list, so that all readers of a
	// run read the same object. An entry is removed when its name is written or was replaced. There are at most
	// maxKnown entries; then all are removed.
	known map[string]known
}

// known is the answer of a store for a name.
type known struct {
	info *info
	err  error
	at   time.Time
}

// newBackend returns a backend. Its readers end when ctx ends.
func newBackend(ctx context.Context, p policy) *backend {
	return &backend{ctx: ctx, policy: p, stores: map[string]store{}, known: map[string]known{}}
}

// place is where an object is.
type place struct {
	store  store
	scheme string
	key    string
	name   string // without its query
}

// at finds the store of a name.
func (b *backend) at(name string) (place, error) {
	root, key, query := storage.Split(name)
	scheme, _, _ := strings.Cut(root, "://")
	p := place{scheme: scheme, key: key, name: root + "/" + key}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if s, found := b.stores[root+query]; found {
		p.store = s
		return p, nil
	}
	s, err := openStore(context.WithoutCancel(b.ctx), scheme, root, query)
	if err != nil {
		return p, &storage.Error{What: err.Error(), Hint: "check the name and the parameters behind its \"?\"", Err: err}
	}
	b.stores[root+query], p.store = s, s
	return p, nil
}

// openStore makes the store of a bucket or web server. It does not connect to it yet.
func openStore(ctx context.Context, scheme, root, query string) (store, error) {
	if scheme == "http" || scheme == "https" {
		return &web{root: root, query: query}, nil
	}
	return openBucket(ctx, scheme, root, query)
}

// Stat implements [storage.Backend].
func (b *backend) Stat(name string) (fs.FileInfo, error) {
	p, err := b.at(name)
	if err != nil {
		return nil, err
	}
	i, err := b.look(p)
	if err != nil {
		return nil, err // i in an interface would not be nil
	}
	return i, nil
}

// patience is how long a failed answer for a name is used again. A run asks for a name several
// times, and each time it would wait for a store that does not answer.
const patience = 10 * time.Second

// look returns the first answer for a name.
func (b *backend) look(p place) (*info, error) {
	b.mutex.Lock()
	k, found := b.known[p.name]
	b.mutex.Unlock()
	if found && (k.err == nil || time.Since(k.at) < patience) {
		return k.info, k.err
	}
	k = known{}
	k.info, k.err = b.ask(p)
	k.at = time.Now()
	if errors.Is(k.err, fs.ErrNotExist) || b.ctx.Err() != nil {
		return k.info, k.err // not stored, because the object may exist the next time
	}
	b.mutex.Lock()
	defer b.mutex.Unlock()
	b.keep(p.name, k)
	return k.info, k.err
}

// keep stores the answer for a name. b.mutex is locked.
func (b *backend) keep(name string, k known) {
	if len(b.known) >= maxKnown {
		clear(b.known)
	}
	b.known[name] = k
}

// ask asks the store whether a name is an object or a directory.
func (b *backend) ask(p place) (*info, error) {
	var o object
	missing := b.policy.try(b.ctx, b.policy.stall, p.scheme, func(ctx context.Context) (err error) {
		if p.key == "" {
			return fs.ErrNotExist
		}
		o, err = p.store.stat(ctx, p.key)
		return err
	})
	if missing == nil {
		return &info{path.Base(p.key), o, false, p.name}, nil
	}
	if !errors.Is(missing, fs.ErrNotExist) {
		return nil, missing
	}
	err := b.policy.try(b.ctx, b.policy.stall, p.scheme, func(ctx context.Context) error {
		entries, err := p.store.list(ctx, directory(p.key), 1)
		if err == nil && len(entries) == 0 {
			err = fs.ErrNotExist
		}
		return err
	})
	if err != nil {
		return nil, missing
	}
	return &info{path.Base(p.key), object{}, true, p.name}, nil
}

// directory returns the key of a directory.
func directory(key string) string {
	if key = strings.TrimRight(key, "/"); key == "" {
		return ""
	}
	return key + "/"
}

// forget removes the answer for a name, so that the store is asked again.
func (b *backend) forget(p place) {
	b.mutex.Lock()
	delete(b.known, p.name)
	b.mutex.Unlock()
}

// Open implements [storage.Backend].
func (b *backend) Open(name string) (io.ReadCloser, error) {
	p, err := b.at(name)
	if err != nil {
		return nil, err
	}
	i, err := b.look(p)
	if err != nil {
		return nil, err
	}
	if i.dir {
		return nil, &storage.Error{What: "this is a directory", Hint: "name an object in it"}
	}
	return newReader(b.ctx, b.policy, p, i.object, func() { b.forget(p) }), nil
}

// ReadDir implements [storage.Backend].
func (b *backend) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := b.at(name)
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	err = b.policy.try(b.ctx, b.policy.listing, p.scheme, func(ctx context.Context) (err error) {
		entries, err = p.store.list(ctx, directory(p.key), 0)
		return err
	})
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for _, e := range entries {
		// A list says what Stat would say of each object, which saves a request for each.
		if i := e.(*info); !i.dir && i.tag != "" {
			if _, found := b.known[i.name]; !found {
				b.keep(i.name, known{info: i, at: time.Now()})
			}
		}
	}
	return entries, err
}

// Put implements [storage.Backend]. It continues after an interrupt, which ends only reading.
func (b *backend) Put(name string, content io.ReadSeeker, size int64) error {
	p, err := b.at(name)
	if err != nil {
		return err
	}
	defer b.forget(p)
	return b.policy.try(context.WithoutCancel(b.ctx), 0, p.scheme, func(ctx context.Context) error {
		if _, err := content.Seek(0, io.SeekStart); err != nil {
			return err
		}
		w := watch(ctx, b.policy.sending)
		defer w.end()
		return w.said(p.store.put(w.ctx, p.key, w.reader(content), size))
	})
}

// info is an object or directory as a [fs.FileInfo] and [fs.DirEntry].
type info struct {
	base string
	object
	dir  bool
	name string // of the object, without its query
}

func (i *info) Name() string               { return i.base }
func (i *info) Size() int64                { return i.size }
func (i *info) ModTime() time.Time         { return i.changed }
func (i *info) IsDir() bool                { return i.dir }
func (i *info) Sys() any                   { return storage.Identity{Name: i.name, Tag: i.tag} }
func (i *info) Type() fs.FileMode          { return i.Mode().Type() }
func (i *info) Info() (fs.FileInfo, error) { return i, nil }

func (i *info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o777
	}
	return 0o666
}
