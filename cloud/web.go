package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"strings"
	"time"
)

// web is a web server. The standard library of Go finds proxies and certificates.
type web struct {
	root, query string
}

// request sends a request for a file. The body has size bytes; header holds additional header fields.
func (s *web) request(ctx context.Context, method, key string, body io.Reader, size int64, header map[string]string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, s.root+"/"+key+s.query, body)
	if err != nil {
		return nil, err
	}
	r.ContentLength = size
	r.Header.Set("Accept-Encoding", "identity") // offsets count what the server stores
	for name, value := range header {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode/100 != 2 {
		answer.Body.Close()
		return nil, statusError(answer.StatusCode)
	}
	return answer, nil
}

// tagOf returns a text that differs between versions of a file.
func tagOf(h http.Header) string {
	return cmp.Or(h.Get("ETag"), h.Get("Last-Modified"))
}

func (s *web) stat(ctx context.Context, key string) (object, error) {
	answer, err := s.request(ctx, http.MethodHead, key, nil, 0, nil)
	if err != nil {
		return object{}, err
	}
	answer.Body.Close()
	o := object{size: answer.ContentLength, tag: tagOf(answer.Header), stream: answer.Header.Get("Accept-Ranges") != "bytes"}
	if o.size < 0 {
		return o, fmt.Errorf("the server does not say how long the file is: %w", statusError(http.StatusLengthRequired))
	}
	if changed, err := time.Parse(http.TimeFormat, answer.Header.Get("Last-Modified")); err == nil {
		o.changed = changed
	}
	return o, nil
}

func (s *web) read(ctx context.Context, key string, o object, offset, length int64) (io.ReadCloser, error) {
	header := map[string]string{}
	if !o.stream {
		header["Range"] = fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)
	}
	if strings.HasPrefix(o.tag, `"`) { // neither a date nor a weak tag
		header["If-Match"] = o.tag
	}
	answer, err := s.request(ctx, http.MethodGet, key, nil, 0, header)
	if err != nil {
		return nil, err
	}
	// Some servers ignore If-Match, but every answer says what it contains.
	same := tagOf(answer.Header) == o.tag
	if o.stream {
		same = same && answer.ContentLength == o.size
	} else {
		want := fmt.Sprintf("bytes %d-%d/%d", offset, offset+length-1, o.size)
		same = same && answer.StatusCode == http.StatusPartialContent && answer.Header.Get("Content-Range") == want
	}
	if !same {
		answer.Body.Close()
		return nil, errReplaced
	}
	return answer.Body, nil
}

func (s *web) list(context.Context, string, int) ([]fs.DirEntry, error) {
	return nil, errors.ErrUnsupported
}

func (s *web) put(ctx context.Context, key string, content io.Reader, size int64) error {
	if size == 0 {
		content = http.NoBody
	}
	answer, err := s.request(ctx, http.MethodPut, key, content, size, nil)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}
