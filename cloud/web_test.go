package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// plainWeb makes a server without ranges of bytes: the handler does not see that a range is
// requested, and the client does not see that it could request one.
func plainWeb(h http.Handler, cut int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Range")
		h.ServeHTTP(&bare{cutting{w, cut}}, r)
	})
}

// cutting is an answer that is cut.
type cutting struct {
	http.ResponseWriter
	left int64 // bytes until then; 0 for never
}

func (c *cutting) Write(p []byte) (int, error) {
	n, err := c.ResponseWriter.Write(p)
	if c.left > 0 {
		if c.left -= int64(n); c.left <= 0 {
			panic(http.ErrAbortHandler)
		}
	}
	return n, err
}

// bare is an answer without Accept-Ranges, which may be cut.
type bare struct{ cutting }

func (b *bare) WriteHeader(status int) {
	b.Header().Del("Accept-Ranges")
	b.ResponseWriter.WriteHeader(status)
}

// serve starts a web server, and has the storage of the program reach it with short waits.
func serve(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	use(t, newBackend(t.Context(), quick))
	return s
}

// TestWeb: captures are read from web servers, with ranges of bytes and without.
func TestWeb(t *testing.T) {
	plain, _ := capture(t)
	local := file(t, plain)
	want := good(t, "analyze", "--json=-", local)
	files := http.FileServer(http.Dir(filepath.Dir(local)))
	for name, h := range map[string]http.Handler{"ranges": files, "no ranges": plainWeb(files, 0)} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, h)
			object := s.URL + "/session.pcap"
			if got := good(t, "analyze", "--json=-", object); renamed(got, object, local) != want {
				t.Error("not the same as of the file")
			}
			got := run(t, "analyze", s.URL+"/none.pcap")
			if want := "the storage has no such object (404); check the name, the bucket and the endpoint\n"; got.status != 1 || !strings.HasSuffix(got.err, want) {
				t.Errorf("exit status %d, %q, want %q", got.status, got.err, want)
			}
		})
	}
}

// TestWebCut: an answer that is cut and cannot be continued counts as damage.
func TestWebCut(t *testing.T) {
	plain, _ := capture(t)
	name := file(t, plain)
	s := serve(t, plainWeb(http.FileServer(http.Dir(filepath.Dir(name))), 300_000))
	got := run(t, "analyze", s.URL+"/session.pcap")
	want := "unexpected EOF, and the server gives no parts of files; the packets before it were read; check the network, and try again\n"
	assert.Check(t, got.status == 2 && strings.HasSuffix(got.err, want), "exit status %d, %q, want %q", got.status, got.err, want)
}

// TestWebReplaced: a replaced file is noticed, also on a server that does not know If-Match.
func TestWebReplaced(t *testing.T) {
	plain, _ := capture(t)
	version := 0
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			version++
		}
		r.Header.Del("If-Match")
		w.Header().Set("ETag", `"`+strings.Repeat("x", 1+version/2)+`"`)
		http.ServeContent(&cutting{w, 300_000}, r, "x.pcap", time.Unix(1e9, 0), bytes.NewReader(plain))
	}))
	got := run(t, "analyze", s.URL+"/x.pcap")
	want := "the object was replaced while it was read"
	assert.Check(t, got.status == 2 && strings.Contains(got.err, want), "exit status %d, %q, want %q", got.status, got.err, want)
}

// TestWebPut: a document is sent to a server that accepts it, and no server is asked for a list.
func TestWebPut(t *testing.T) {
	objects := map[string][]byte{}
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPut {
			http.NotFound(w, r)
			return
		}
		text, err := io.ReadAll(r.Body)
		assert.Check(t, err == nil && int64(len(text)) == r.ContentLength, "%d bytes of %d, %v", len(text), r.ContentLength, err)
		objects[r.URL.Path+"?"+r.URL.RawQuery] = text
	}))
	plain, _ := capture(t)
	local := file(t, plain)
	want := good(t, "analyze", "--json=-", local)
	good(t, "analyze", "--json="+s.URL+"/r.json?signature=x", local)
	if got := objects["/r.json?signature=x"]; string(got) != want {
		t.Errorf("the server got %d bytes, want %d", len(got), len(want))
	}
	got := run(t, "compare", "--no-cache", "--pattern", s.URL+"/{scenario}/x.pcap")
	if want := "a web server has no lists of files; name the files, or use s3://, gs:// or azblob://"; got.status != 1 || !strings.Contains(got.err, want) {
		t.Errorf("exit status %d, %q, want %q", got.status, got.err, want)
	}
}
