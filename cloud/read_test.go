package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
)

// TestSameAsFile: the output for an object is the output for the file.
func TestSameAsFile(t *testing.T) {
	s := startS3(t)
	plain, packed := capture(t)
	for name, content := range map[string][]byte{"dir/plain.pcap": plain, "dir/packed.pcap.zst": packed, "a b+c%20&d=é.pcap": plain} {
		s.put(t, name, content)
		local, object := file(t, content), "s3://bkt/"+name
		for _, command := range [][]string{{"analyze", "--json=-"}, {"connections"}, {"packets"}} {
			want := good(t, append(command, local)...)
			got := good(t, append(command, object)...)
			assert.Check(t, renamed(got, object, local) == want && len(want) >= 100, "%v %s: not the same as of the file", command, object)
		}
	}
}

// TestSeveralFiles: files of one host are opened, closed and opened again.
func TestSeveralFiles(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	s.put(t, "1.pcap", plain)
	s.put(t, "2.pcap", plain)
	one, two := file(t, plain), file(t, plain)
	want := good(t, "analyze", "--json=-", one, two)
	got := good(t, "analyze", "--json=-", "s3://bkt/1.pcap", "s3://bkt/2.pcap?use_path_style=true")
	got = renamed(renamed(got, "s3://bkt/1.pcap", one), "s3://bkt/2.pcap?use_path_style=true", two)
	assert.Check(t, got == want, "not the same as of the files")
}

// stored starts a server with a capture as the object x.pcap. It returns the name of the same capture
// as a file, and the report on it.
func stored(t *testing.T) (s *s3server, local, want string) {
	t.Helper()
	s = startS3(t)
	plain, _ := capture(t)
	s.put(t, "x.pcap", plain)
	local = file(t, plain)
	return s, local, good(t, "analyze", "--json=-", local)
}

// TestHarm: faults that a repeated request can overcome do not change the output.
func TestHarm(t *testing.T) {
	s, local, want := stored(t)
	gets := 0
	for name, rule := range map[string]func(r *http.Request, nth int) harm{
		"503 of every other request": func(_ *http.Request, nth int) harm { return harm{status: 503 * (nth % 2)} },
		"500 of the first": func(_ *http.Request, nth int) harm {
			if nth > 3 {
				return harm{}
			}
			return harm{status: 500}
		},
		"cut after 100 kB": func(r *http.Request, _ int) harm {
			if !isGet(r) {
				return harm{}
			}
			return harm{cut: 300_000}
		},
		"every other answer cut at once": func(r *http.Request, _ int) harm {
			if !isGet(r) {
				return harm{}
			}
			gets++
			return harm{cut: int64(gets % 2)}
		},
		"slow": func(*http.Request, int) harm { return harm{slow: time.Millisecond} },
	} {
		t.Run(name, func(t *testing.T) {
			use(t, newBackend(t.Context(), quick))
			s.set(rule)
			got := good(t, "analyze", "--json=-", "s3://bkt/x.pcap")
			assert.Check(t, renamed(got, "s3://bkt/x.pcap", local) == want, "not the same as of the file")
			assert.Check(t, s.done.Load() != 0, "no request was harmed")
		})
	}
}

// TestStall: a connection that delivers no bytes is closed, and the request is repeated.
func TestStall(t *testing.T) {
	s, local, want := stored(t)
	impatient := quick
	impatient.stall = 2 * time.Second
	use(t, newBackend(t.Context(), impatient))
	first := true
	s.set(func(r *http.Request, _ int) harm {
		if stall := first && isGet(r); stall {
			first = false
			return harm{stall: true}
		}
		return harm{}
	})
	got := good(t, "analyze", "--json=-", "s3://bkt/x.pcap")
	assert.Check(t, renamed(got, "s3://bkt/x.pcap", local) == want, "not the same as of the file")
	assert.Check(t, s.done.Load() == 1, "%d requests were harmed, want 1", s.done.Load())
}

// TestRefusals: if no repetition can help, the message says in plain words what is wrong and what
// to do.
func TestRefusals(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	s.put(t, "dir/x.pcap", plain)
	always := func(status int) func(*http.Request, int) harm {
		return func(*http.Request, int) harm { return harm{status: status} }
	}
	late := func(h harm) func(*http.Request, int) harm { // when the reading has begun
		gets := 0
		return func(r *http.Request, _ int) harm {
			if !isGet(r) {
				return harm{}
			}
			if gets++; gets > 1 {
				return h
			}
			return harm{cut: 300_000}
		}
	}
	for _, c := range []struct {
		name, object string
		rule         func(*http.Request, int) harm
		says         string
		status       int
	}{
		{"403", "dir/x.pcap", always(403), "mpanalyze: s3://bkt/dir/x.pcap: the storage refuses access (403); check the credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE) and their rights\n", 1},
		{"404", "dir/none.pcap", nil, "mpanalyze: s3://bkt/dir/none.pcap: the storage has no such object (404); check the name, the bucket and the endpoint\n", 1},
		{"a directory", "dir", nil, "mpanalyze: s3://bkt/dir: this is a directory; name the captures in it, as in s3://bkt/dir/NAME.pcap\n", 1},
		{"503", "dir/x.pcap", always(503), "mpanalyze: s3://bkt/dir/x.pcap: the storage is overloaded or down (503, asked 2 times); try again later, or with fewer runs at once (--jobs)\n", 1},
		{"503 late", "dir/x.pcap", late(harm{status: 503}), "the storage is overloaded or down (503, asked 2 times); the packets before it were read; try again later, or with fewer runs at once (--jobs)\n", 2},
		{"cut late", "dir/x.pcap", late(harm{cut: 1}), "the connection to the storage breaks (asked 2 times): unexpected EOF; the packets before it were read; check the network, and try again\n", 2},
		{"a parameter that is none", "dir/x.pcap?colour=red", nil, `unknown query parameter "colour"; check the name and the parameters behind its "?"` + "\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			use(t, newBackend(t.Context(), hasty))
			s.set(c.rule)
			got := run(t, "analyze", "s3://bkt/"+c.object)
			if !strings.HasSuffix(got.err, c.says) || int(got.status) != c.status {
				t.Errorf("exit status %d, %q\nwant %d, %q", got.status, got.err, c.status, c.says)
			}
			assert.Check(t, strings.Count(got.err, "\n") == 1, "%q is not one line", got.err)
		})
	}
}

// TestReplaced: an object that is replaced while it is read is an error, even by one of the same
// length.
func TestReplaced(t *testing.T) {
	s := startS3(t)
	plain, _ := capture(t)
	other := append([]byte(nil), plain...)
	other[len(other)-1]++
	s.put(t, "x.pcap", plain)
	gets := 0
	s.set(func(r *http.Request, _ int) harm {
		if !isGet(r) {
			return harm{}
		}
		if gets++; gets == 2 {
			return harm{before: func() { s.put(t, "x.pcap", other) }}
		}
		return harm{cut: 300_000}
	})
	got := run(t, "analyze", "s3://bkt/x.pcap")
	want := "the object was replaced while it was read; the packets before it were read; run the command again when nobody writes it\n"
	assert.Check(t, got.status == 2 && strings.HasSuffix(got.err, want), "exit status %d, %q, want %q", got.status, got.err, want)
	s.set(nil)
	again := run(t, "analyze", "s3://bkt/x.pcap")
	assert.Check(t, again.status == 0, "read again, it is %q", again.err)
	// As a run of a campaign, next to one that nobody replaces.
	s.put(t, "x.pcap", plain)
	s.put(t, "y.pcap", plain)
	use(t, newBackend(t.Context(), quick))
	gets = 0
	s.set(func(r *http.Request, _ int) harm {
		if strings.HasSuffix(r.URL.Path, "/x.pcap") && isGet(r) {
			if gets++; gets == 2 {
				return harm{before: func() { s.put(t, "x.pcap", other) }}
			}
			return harm{cut: 300_000}
		}
		return harm{}
	})
	got = run(t, "compare", "--no-cache", "one=s3://bkt/x.pcap", "two=s3://bkt/y.pcap")
	if !strings.Contains(got.err, "s3://bkt/x.pcap") || !strings.Contains(got.err, "the object was replaced while it was read") || got.status != 2 {
		t.Errorf("exit status %d, %q", got.status, got.err)
	}
}

// TestNoCredentials: without credentials the command fails at once, and the message says where
// they are looked for.
func TestNoCredentials(t *testing.T) {
	s := startS3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	got := run(t, "analyze", "s3://bkt/x.pcap")
	want := "no credentials were found; state AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE\n"
	assert.Check(t, strings.HasSuffix(got.err, want), "%q, want %q", got.err, want)
	s.set(nil)
}
