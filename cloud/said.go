package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"gocloud.dev/gcerrors"
	"google.golang.org/api/googleapi"

	"mpanalyze/internal/storage"
)

// statusError is an answer of a web server that is no success.
type statusError int

func (s statusError) Error() string { return fmt.Sprintf("%d %s", int(s), http.StatusText(int(s))) }

// HTTPStatusCode returns the status. The errors of S3 have the same method.
func (s statusError) HTTPStatusCode() int { return int(s) }

// status returns the HTTP status of an error, or 0 if it has none.
func status(err error) int {
	var coded interface{ HTTPStatusCode() int }
	var google *googleapi.Error
	var azure *azcore.ResponseError
	switch {
	case errors.As(err, &coded):
		return coded.HTTPStatusCode()
	case errors.As(err, &google):
		return google.Code
	case errors.As(err, &azure):
		return azure.StatusCode
	case errors.Is(err, fs.ErrNotExist), gcerrors.Code(err) == gcerrors.NotFound:
		return http.StatusNotFound
	}
	return 0
}

// temporary reports whether the same request may succeed later.
func temporary(err error) bool {
	if errors.Is(err, errReplaced) || errors.Is(err, errors.ErrUnsupported) || lacksCredentials(err) {
		return false
	}
	switch s := status(err); s {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return true
	default:
		return s >= 500 && s != http.StatusNotImplemented
	}
}

// lacksCredentials reports whether a library found no credentials. The libraries have no type for
// this error, so it compares the text.
func lacksCredentials(err error) bool {
	text := err.Error()
	parts := []string{"get credentials", "could not find default credentials", "DefaultAzureCredential", "AccountName is required"}
	return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
}

// credentials says where the library of each store looks for credentials first.
var credentials = map[string]string{
	"s3":     "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
	"gs":     "GOOGLE_APPLICATION_CREDENTIALS",
	"azblob": "AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY",
}

// said returns an error with the answer of a store in plain words. attempts is the number of
// attempts that were made.
func said(scheme string, err error, attempts int) error {
	e := &storage.Error{Err: err, Temporary: temporary(err)}
	check := "check the rights that the server gives"
	if where := credentials[scheme]; where != "" {
		check = "check the credentials (" + where + ") and their rights"
	}
	switch s := status(err); {
	case errors.Is(err, errReplaced), s == http.StatusPreconditionFailed, s == http.StatusRequestedRangeNotSatisfiable:
		e.What, e.Hint, e.Err = "the object was replaced while it was read", "run the command again when nobody writes it", errReplaced
		e.Temporary = true
	case errors.Is(err, errors.ErrUnsupported):
		e.What, e.Hint = "a web server has no lists of files", "name the files, or use s3://, gs:// or azblob://"
	case lacksCredentials(err):
		e.What, e.Hint = "no credentials were found", "state "+credentials[scheme]
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		e.What, e.Hint, e.Err = fmt.Sprintf("the storage refuses access (%d)", s), check, errors.Join(fs.ErrPermission, err)
	case s == http.StatusNotFound:
		e.What, e.Hint, e.Err = "the storage has no such object (404)", "check the name, the bucket and the endpoint", fs.ErrNotExist
	case s == http.StatusTooManyRequests, s >= 500:
		e.What, e.Hint = fmt.Sprintf("the storage is overloaded or down (%d, %s)", s, times(attempts)), "try again later, or with fewer runs at once (--jobs)"
	case s != 0:
		e.What, e.Hint = fmt.Sprintf("the storage answers %d: %s", s, oneLine(err)), "check the region, the endpoint and the name"
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.DeadlineExceeded), errors.Is(err, errStalled):
		e.What, e.Hint = fmt.Sprintf("the connection to the storage breaks (%s): %s", times(attempts), oneLine(err)), "check the network, and try again"
	default:
		e.What, e.Hint = fmt.Sprintf("the storage cannot be reached (%s): %s", times(attempts), oneLine(err)), "check the network and the endpoint"
	}
	return e
}

func times(n int) string {
	if n == 1 {
		return "asked once"
	}
	return fmt.Sprintf("asked %d times", n)
}

// longestSaid bounds the part of a library's error that is shown, in bytes.
const longestSaid = 300

// oneLine returns an error's text as a line.
func oneLine(err error) string {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if i := strings.LastIndex(text, io.ErrUnexpectedEOF.Error()); i > 0 {
		text = text[i:] // the library writes the name before it
	}
	if len(text) > longestSaid {
		text = strings.ToValidUTF8(text[:longestSaid], "") + "..."
	}
	return text
}
