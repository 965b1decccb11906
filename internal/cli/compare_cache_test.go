package cli_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpanalyze/internal/cli"
)

// TestCraftedCache: an entry of the cache names no file to write, no message and no exit
// status, also if whoever can write to the directory gives it a sound hash. A directory that
// others may enter is not used, and a warning says so.
func TestCraftedCache(t *testing.T) {
	dir := t.TempDir()
	content, err := os.ReadFile(filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst"))
	if err != nil {
		t.Fatal(err)
	}
	capture, cache, other := filepath.Join(dir, "a.pcap.zst"), filepath.Join(dir, "cache"), filepath.Join(dir, "other")
	if err := os.WriteFile(capture, content, 0o600); err != nil {
		t.Fatal(err)
	}
	compare := func() (cli.ExitCode, []byte, string) {
		return trueProgram("compare", "A="+capture, "--metric", "bytes", "--cache", cache)
	}
	code, first, said := compare()
	if code != cli.ExitOK || said != "" || len(first) == 0 {
		t.Fatalf("status %d, %d bytes, %s", code, len(first), said)
	}
	files, err := filepath.Glob(filepath.Join(cache, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%q, %v: want the figures of the run", files, err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		_, kept, _ := strings.Cut(string(text), "\n")
		kept = fmt.Sprintf(`{"outputs":[{"to":%q,"size":4},{"to":%q,"size":4}],"status":3,"messages":["a lie"],"message":"a lie",%s`, capture, other, kept[1:])
		hash := sha256.Sum256([]byte(filepath.Base(f) + "\n" + kept))
		if err := os.WriteFile(f, fmt.Appendf(nil, "%x\n%s", hash, kept), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	unchanged := func(want string) {
		t.Helper()
		code, again, said := compare()
		if code != cli.ExitOK || !bytes.Equal(again, first) || said != want {
			t.Errorf("status %d, %q, other table: %v; want 0, %q, the same", code, said, !bytes.Equal(again, first), want)
		}
		if now, err := os.ReadFile(capture); err != nil || !bytes.Equal(now, content) {
			t.Errorf("the capture has %d bytes, want the %d it had; %v", len(now), len(content), err)
		}
		if _, err := os.Lstat(other); !os.IsNotExist(err) {
			t.Errorf("a file that an entry names was written: %v", err)
		}
	}
	unchanged("")
	if err := os.Chmod(cache, 0o755); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(cache); err != nil || info.Mode().Perm() != 0o755 {
		t.Skip("the system has no such modes")
	}
	unchanged("mpanalyze: the cache " + cache + " is not used: others may enter it, its mode is 0755; make it a directory of your own with mode 0700, or state --no-cache\n")
}

// TestCacheOfEarlierVersions: the default cache works where an earlier version left its own,
// which others may read. That stays as it is.
func TestCacheOfEarlierVersions(t *testing.T) {
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, home)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(base, "mpanalyze", "runs", "ab")
	if err := os.MkdirAll(old, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(old, "cd"), []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	capture := filepath.Join(sessions, "v1", "l-single-loss", "client.pcap.zst")
	if code, _, said := trueProgram("compare", "A="+capture, "--metric", "bytes"); code != cli.ExitOK || said != "" {
		t.Errorf("status %d, %q", code, said)
	}
	if kept, err := filepath.Glob(filepath.Join(base, "mpanalyze", "figures", "*")); err != nil || len(kept) == 0 {
		t.Errorf("%q, %v: want the figures of the run", kept, err)
	}
	if text, err := os.ReadFile(filepath.Join(old, "cd")); err != nil || string(text) != "{}" {
		t.Errorf("the old cache: %q, %v", text, err)
	}
}
