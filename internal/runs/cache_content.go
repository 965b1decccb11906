package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/capture"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/storage"
)

// fileState holds what the system reported about a file when it was hashed, and the
// hash.
type fileState struct {
	Size    int64  `json:"size"`
	Changed int64  `json:"changed"` // modification time, ns
	Status  int64  `json:"status"`  // time of the last change of the inode, ns; 0 where the system has none
	Tag     string `json:"tag"`     // version of the content in object storage; empty for files
	Content string `json:"content"`
}

// minAge is how long ago a file must have changed before its times prove that its
// content is the same. Two changes within one tick of the clock give the same times.
const minAge = 2 * time.Second

// Hashed says for each input whether its files are hashed. All are hashed if there is a
// cache, which finds figures by hash, or if an input is a report, which names its
// captures by hash. Otherwise hashes are needed only to find out whether two runs have
// a capture in common, and files of different sizes cannot be the same capture.
func (o *Options) Hashed() []bool {
	all := o.Cache != nil || slices.ContainsFunc(o.Inputs, func(in campaign.Input) bool { return in.IsReport() })
	out, first := make([]bool, len(o.Inputs)), map[int64]int{}
	for i := range o.Inputs {
		out[i] = out[i] || all
		for _, name := range o.Inputs[i].AllFiles() {
			info, err := storage.Stat(name)
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			if other, found := first[info.Size()]; !found {
				first[info.Size()] = i
			} else if other != i {
				out[i], out[other] = true, true
			}
		}
	}
	return out
}

// contentOf hashes the files of a run. receiver is empty for a run of one host. It
// returns the hash of all files together and the hash of each. Both are empty if a file
// is a pipe or a device, which can be read only once.
func (o *Options) contentOf(files, receiver []string) (content string, each []string, err error) {
	all := sha256.New()
	for _, name := range slices.Concat(files, receiver) {
		if info, err := storage.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return "", nil, nil
		}
	}
	for i, name := range slices.Concat(files, receiver) {
		if i == len(files) {
			fmt.Fprintln(all, "receiver")
		}
		hash, err := o.hashOf(name)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintln(all, hash)
		each = append(each, hash)
	}
	return hex.EncodeToString(all.Sum(nil)), each, nil
}

// hashOf hashes a file. With a cache it does not read the file if its size and times
// have not changed.
func (o *Options) hashOf(name string) (string, error) {
	if o.Cache == nil {
		return engine.HashFile(context.Background(), o.Files, name)
	}
	info, err := o.Files.Stat(name)
	if err != nil {
		return "", capture.NotOpened(name, err)
	}
	full := name
	if !storage.Is(name) {
		if full, err = filepath.Abs(name); err != nil {
			return engine.HashFile(context.Background(), o.Files, name)
		}
	}
	hash := sha256.Sum256([]byte("stamp " + full))
	key := hex.EncodeToString(hash[:])
	now := fileState{Size: info.Size(), Changed: info.ModTime().UnixNano(), Status: statusTime(info), Tag: storage.Tag(info)}
	var old fileState
	if json.Unmarshal(o.Cache.read(key), &old) == nil {
		now.Content = old.Content
		if now == old && len(old.Content) == 2*sha256.Size {
			return old.Content, nil
		}
	}
	if now.Content, err = engine.HashFile(context.Background(), o.Files, name); err != nil {
		return "", err
	}
	if time.Since(time.Unix(0, max(now.Changed, now.Status))) > minAge && o.Files.Unchanged(name) == nil {
		if text, err := json.Marshal(now); err == nil {
			o.Cache.write(key, text)
		}
	}
	return now.Content, nil
}
