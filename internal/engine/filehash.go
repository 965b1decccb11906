package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"mpanalyze/internal/capture"
	"mpanalyze/internal/crash"
	"mpanalyze/internal/storage"
)

// fileHashes hashes files while they are analysed.
type fileHashes struct {
	done   chan struct{}
	cancel context.CancelFunc
	byName map[string]string // read after done
	files  *storage.Files
}

// hashFiles starts to hash the files that are not larger than o.HashLimit. Pipes have
// no hash, because they can be read only once.
func (o *Options) hashFiles(ctx context.Context, files []string) *fileHashes {
	ctx, cancel := context.WithCancel(ctx)
	h := &fileHashes{done: make(chan struct{}), cancel: cancel, byName: map[string]string{}, files: o.Files}
	if o.HashLimit == 0 {
		close(h.done)
		return h
	}
	go func() {
		defer close(h.done)
		defer crash.Catch()
		for _, name := range files {
			info, err := storage.Stat(name)
			if name == "-" || err != nil || !info.Mode().IsRegular() || info.Size() > o.HashLimit {
				continue
			}
			if hash, err := HashFile(ctx, o.Files, name); err == nil {
				h.byName[name] = hash
			}
		}
	}()
	return h
}

// of returns the hash of a file, nil for none; it waits until the files are hashed. A file that was
// written while it was read has no hash.
func (h *fileHashes) of(name string) *string {
	<-h.done
	if hash, ok := h.byName[name]; ok && h.files.Unchanged(name) == nil {
		return &hash
	}
	return nil
}

// HashFile returns the SHA-256 of a file, in hexadecimal digits. files holds what else reads the
// file; nil for nothing.
func HashFile(ctx context.Context, files *storage.Files, name string) (string, error) {
	f, err := files.Open(name)
	if err != nil {
		return "", capture.NotOpened(name, err)
	}
	defer f.Close()
	h, buf := sha256.New(), make([]byte, 1<<18)
	for {
		n, err := f.Read(buf)
		h.Write(buf[:n])
		switch {
		case err == io.EOF:
			return hex.EncodeToString(h.Sum(nil)), nil
		case err != nil:
			return "", err
		case ctx.Err() != nil:
			return "", ctx.Err()
		}
	}
}
