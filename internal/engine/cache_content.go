package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// fileState is what the system said of a file when it was hashed, and the hash.
type fileState struct {
	Size    int64  `json:"size"`
	Changed int64  `json:"changed"` // modification time, ns
	Status  int64  `json:"status"`  // time of the last change of the inode, ns; 0 where the system has none
	Content string `json:"content"`
}

// minAge is how long ago a file must have changed for its times to prove that its
// content is the same: a second change within a tick of the clock does not change
// them.
const minAge = 2 * time.Second

// hashed returns of which inputs the files are hashed: of all where there is a cache,
// which finds figures by the hash. Without a cache hashes only tell whether two runs
// are the same capture, which files of different sizes are not.
func (o *CampaignOptions) hashed() []bool {
	out, first := make([]bool, len(o.Inputs)), map[string]int{}
	for i := range o.Inputs {
		sizes := sizesOf(o.Inputs[i].Files)
		if other, found := first[sizes]; found && sizes != "" {
			out[i], out[other] = true, true
		} else {
			first[sizes] = i
		}
		out[i] = out[i] || o.Cache != nil
	}
	return out
}

// sizesOf lists the sizes of files; empty where a file is not there or has none.
func sizesOf(files []string) string {
	var sizes strings.Builder
	for _, name := range files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return ""
		}
		fmt.Fprintln(&sizes, info.Size())
	}
	return sizes.String()
}

// contentOf hashes files, each with its length, so that no two lists of files
// look alike. It is empty where one is a pipe or a device, which can be read only once.
func (c *Cache) contentOf(files []string) (string, error) {
	for _, name := range files {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			return "", nil
		}
	}
	all := sha256.New()
	for _, name := range files {
		hash, err := c.hashOf(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintln(all, hash)
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// hashOf hashes a file. With a cache it does not read the file if size and times are
// those of the last time.
func (c *Cache) hashOf(name string) (string, error) {
	if c == nil {
		return hashFile(name)
	}
	info, err := os.Stat(name)
	if err != nil {
		return "", err
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return hashFile(name)
	}
	key := sha256.Sum256([]byte("stamp " + full))
	file := c.file(hex.EncodeToString(key[:]))
	now := fileState{Size: info.Size(), Changed: info.ModTime().UnixNano(), Status: statusTime(info)}
	var old fileState
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &old) == nil {
		now.Content = old.Content
		if now == old && len(old.Content) == 2*sha256.Size {
			return old.Content, nil
		}
	}
	if now.Content, err = hashFile(name); err != nil {
		return "", err
	}
	if time.Since(time.Unix(0, max(now.Changed, now.Status))) > minAge {
		if text, err := json.Marshal(now); err == nil {
			replace(file, text)
		}
	}
	return now.Content, nil
}

func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
