package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/klauspost/compress/zstd"
	"gotest.tools/v3/assert"

	"mpanalyze/internal/cli"
	"mpanalyze/internal/engine"
	"mpanalyze/internal/storage"
	"mpanalyze/internal/testrun"
)

// gateway is a server that speaks S3; scripts/versitygw.sh installs it.
const gateway = "../bin/versitygw"

// quick is the default policy with short waits. The time until a request counts as stalled stays
// long: a busy machine must not reach it.
var quick = policy{
	attempts: defaultPolicy.attempts, first: time.Millisecond, longest: 10 * time.Millisecond,
	stall: defaultPolicy.stall, listing: defaultPolicy.listing, sending: defaultPolicy.sending,
}

// hasty gives up sooner, for tests in which nothing helps: the library of S3 waits, too.
var hasty = policy{
	attempts: 2, first: quick.first, longest: quick.longest,
	stall: defaultPolicy.stall, listing: defaultPolicy.listing, sending: defaultPolicy.sending,
}

// s3server is a real S3 server with an empty bucket "bkt", behind a proxy that causes faults.
type s3server struct {
	*proxy
	direct *s3.Client // past the proxy
}

// startS3 starts a server for one test, and has the storage of the program reach it.
func startS3(t *testing.T) *s3server {
	t.Helper()
	if _, err := os.Stat(gateway); err != nil {
		t.Skipf("no %s: scripts/versitygw.sh installs it", gateway)
	}
	dir := t.TempDir()
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": "tester-secret", "AWS_REGION": "us-east-1",
		"AWS_CONFIG_FILE": filepath.Join(dir, "none"), "AWS_SHARED_CREDENTIALS_FILE": filepath.Join(dir, "none"),
	} {
		t.Setenv(name, value)
	}
	address := start(t, dir)
	t.Setenv("AWS_ENDPOINT_URL", "http://"+address)
	c, err := config.LoadDefaultConfig(t.Context())
	assert.NilError(t, err)
	s := &s3server{startProxy(t, address), s3.NewFromConfig(c)}
	bucket := "bkt"
	if _, err := s.direct.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &bucket}); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ENDPOINT_URL", s.URL)
	use(t, newBackend(t.Context(), quick))
	return s
}

// use has the program use a backend until the end of the test.
func use(t *testing.T, b *backend) {
	storage.Use(b)
	t.Cleanup(func() { storage.Use(nil) })
}

// start starts the server and waits until it answers. Where it cannot run, the test is skipped.
func start(t *testing.T, dir string) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	assert.NilError(t, err)
	address = l.Addr().String()
	l.Close()
	data := filepath.Join(dir, "data")
	assert.NilError(t, os.Mkdir(data, 0o755))
	cmd := testrun.Command(t, gateway, "--port", address, "posix", data)
	cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY=tester-secret")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Skipf("%s does not start: %v", gateway, err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return address
		}
		select {
		case <-ended:
			t.Skipf("%s does not run here: %s", gateway, &said)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// put stores an object without going through the proxy.
func (s *s3server) put(t *testing.T, key string, content []byte) {
	t.Helper()
	bucket := "bkt"
	if _, err := s.direct.PutObject(context.Background(), &s3.PutObjectInput{Bucket: &bucket, Key: &key, Body: bytes.NewReader(content)}); err != nil {
		t.Fatal(err)
	}
}

// get returns the content of an object; nil where there is none.
func (s *s3server) get(t *testing.T, key string) []byte {
	t.Helper()
	bucket := "bkt"
	o, err := s.direct.GetObject(context.Background(), &s3.GetObjectInput{Bucket: &bucket, Key: &key})
	if err != nil {
		assert.Assert(t, status(err) == http.StatusNotFound, "%v", err)
		return nil
	}
	defer o.Body.Close()
	text, err := io.ReadAll(o.Body)
	assert.NilError(t, err)
	return text
}

// harm is the fault that a proxy causes for a request.
type harm struct {
	before func()        // is called first
	status int           // is the answer
	cut    int64         // bytes of the answer after which the connection is cut; 0 for none
	slow   time.Duration // between 64 KiB of the answer
	stall  bool          // the answer stops after the first bytes
}

// proxy stands before a server.
type proxy struct {
	*httptest.Server
	mutex sync.Mutex
	rule  func(r *http.Request, nth int) harm // of the nth request, from 1; nil for no harm
	n     int
	done  atomic.Int64 // requests that were harmed
}

// harmed is the key under which a request on its way through the proxy has its harm.
type harmed struct{}

func startProxy(t *testing.T, address string) *proxy {
	p := &proxy{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: address})
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(answer *http.Response) error {
			h := answer.Request.Context().Value(harmed{}).(harm)
			answer.Body = &harmedBody{answer.Body, h, answer.Request.Context()}
			return nil
		},
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
		ErrorHandler:  func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := p.harm(r)
		if h.before != nil {
			h.before()
		}
		if h.status != 0 {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(h.status)
			return
		}
		forward.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), harmed{}, h)))
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *proxy) harm(r *http.Request) (h harm) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.n++
	if p.rule != nil {
		h = p.rule(r, p.n)
	}
	if h.status != 0 || h.cut != 0 || h.slow != 0 || h.stall || h.before != nil {
		p.done.Add(1)
	}
	return h
}

// set sets the rule, and begins to count anew.
func (p *proxy) set(rule func(r *http.Request, nth int) harm) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.rule, p.n = rule, 0
	p.done.Store(0)
}

// harmedBody is the body of an answer.
type harmedBody struct {
	io.ReadCloser
	harm
	ctx context.Context
}

func (b *harmedBody) Read(p []byte) (int, error) {
	if b.stall {
		<-b.ctx.Done()
		return 0, b.ctx.Err()
	}
	if b.slow > 0 {
		time.Sleep(b.slow)
		p = p[:min(len(p), 64<<10)]
	}
	if b.cut > 0 && int64(len(p)) >= b.cut {
		n, _ := b.ReadCloser.Read(p[:b.cut])
		if b.cut -= int64(n); b.cut == 0 {
			return n, errors.New("cut by the test")
		}
		return n, nil
	}
	n, err := b.ReadCloser.Read(p)
	if b.cut > 0 {
		b.cut -= int64(n)
	}
	return n, err
}

// saying is what a command wrote, and its exit status.
type saying struct {
	out, err string
	status   cli.ExitCode
}

// run runs a command of the program in this process.
func run(t *testing.T, args ...string) saying {
	t.Helper()
	var out, errs bytes.Buffer
	e := cli.Engine{Analyze: engine.Analyze, Stored: engine.AnalyzeStored, Follow: engine.Follow, Track: engine.Track, Live: engine.Live}
	s := cli.Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: os.Getenv, Now: time.Now, OutWidth: 100}
	status := cli.Main(args, s, e, "v0.0.0-test")
	return saying{out.String(), errs.String(), status}
}

// good fails unless a command succeeded.
func good(t *testing.T, args ...string) string {
	t.Helper()
	s := run(t, args...)
	if s.status != 0 {
		t.Fatalf("%s: exit status %d: %s", strings.Join(args, " "), s.status, s.err)
	}
	return s.out
}

const sessions = "../testdata/sessions"

// capture returns a real capture, plain and as it is packed.
func capture(t *testing.T) (plain, packed []byte) {
	t.Helper()
	packed, err := os.ReadFile(sessions + "/v1/a-sym-up/client.pcap.zst")
	assert.NilError(t, err)
	r, err := zstd.NewReader(nil)
	assert.NilError(t, err)
	defer r.Close()
	if plain, err = r.DecodeAll(packed, nil); err != nil {
		t.Fatal(err)
	}
	assert.Assert(t, len(plain) >= 3*enough, "%d bytes are too few for several requests", len(plain))
	return plain, packed
}

// file writes a file and returns its name.
func file(t *testing.T, content []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "session.pcap")
	assert.NilError(t, os.WriteFile(name, content, 0o600))
	return name
}

// renamed replaces a name in a text by another one.
func renamed(text, from, to string) string { return strings.ReplaceAll(text, from, to) }

// isGet reports whether a request reads an object, and not a list.
func isGet(r *http.Request) bool {
	return r.Method == http.MethodGet && !strings.Contains(r.URL.RawQuery, "list-type")
}

func lines(format string, values ...any) []byte { return fmt.Appendf(nil, format, values...) }
