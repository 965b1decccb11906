package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"mpanalyze/internal/campaign"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/storage"
)

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
		hash, err := engine.HashFile(context.Background(), o.Files, name)
		if err != nil {
			return "", nil, err
		}
		fmt.Fprintln(all, hash)
		each = append(each, hash)
	}
	return hex.EncodeToString(all.Sum(nil)), each, nil
}

// placeKey returns the key of a run by the names, lengths and times of its files; empty where these do not tell
// whether the files are the same ones.
func (o *Options) placeKey(program string, in *campaign.Input) string {
	files := filesOf(in, o.Files)
	if len(files) == 0 || o.Cache == nil {
		return ""
	}
	var places []string
	for i, f := range files {
		name := in.AllFiles()[i]
		if !storage.Is(name) {
			full, err := filepath.Abs(name)
			if err != nil {
				return ""
			}
			name = full
		}
		info, err := storage.Stat(name)
		if err != nil {
			return ""
		}
		status := statusTime(info)
		if f.Tag == "" && time.Since(time.Unix(0, max(f.Changed, status))) <= minAge {
			return ""
		}
		places = append(places, fmt.Sprintf("%q %+v %d", name, f, status))
	}
	return o.keyOf(program, in, fmt.Sprintf("files %d %q", len(in.Files), places))
}
