package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"net/url"
	"os"
	"path"
	"strconv"
	"strings"

	gcs "cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	azure "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/blob"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	"gocloud.dev/blob/gcsblob"
	_ "gocloud.dev/blob/s3blob" // s3://
	"gocloud.dev/gcp"
)

// bucket is a bucket of one of the clouds.
type bucket struct {
	*blob.Bucket
	root string
}

// openBucket opens a bucket by its name and the parameters behind it, which gocloud.dev defines.
func openBucket(ctx context.Context, scheme, root, query string) (store, error) {
	u, err := url.Parse(root + query)
	if err != nil {
		return nil, err
	}
	var b *blob.Bucket
	switch scheme {
	case "s3":
		if err := completeS3(ctx, u); err != nil {
			return nil, err
		}
		b, err = blob.OpenBucket(ctx, u.String())
	case "gs":
		b, err = openGoogle(ctx, u)
	default:
		b, err = blob.OpenBucket(ctx, u.String())
	}
	if err != nil {
		return nil, err
	}
	return &bucket{b, root}, nil
}

// pathStyle is a variable of the environment. It puts names of buckets into the path, not into the
// host's name. The libraries of S3 have no variable for that.
const pathStyle = "MPANALYZE_S3_PATH_STYLE"

// completeS3 adds parameters from the environment, and a region if there is none: stores of other
// companies than Amazon accept any region.
func completeS3(ctx context.Context, u *url.URL) error {
	q := u.Query()
	if style := os.Getenv(pathStyle); style != "" && !q.Has("use_path_style") {
		if _, err := strconv.ParseBool(style); err != nil {
			return errors.New(pathStyle + ": want true or false")
		}
		q.Set("use_path_style", style)
	}
	if !q.Has("region") {
		c, err := config.LoadDefaultConfig(ctx, config.WithSharedConfigProfile(q.Get("profile")))
		if err != nil {
			return err
		}
		if c.Region == "" {
			q.Set("region", "us-east-1")
		}
	}
	u.RawQuery = q.Encode()
	return nil
}

// openGoogle looks for credentials first, because the library writes to standard output if there
// are none.
func openGoogle(ctx context.Context, u *url.URL) (*blob.Bucket, error) {
	if u.Query().Get("access_id") == "-" || u.Query().Get("anonymous") == "true" {
		o := gcsblob.URLOpener{Client: gcp.NewAnonymousHTTPClient(gcp.DefaultTransport())}
		return o.OpenBucketURL(ctx, u)
	}
	if os.Getenv("STORAGE_EMULATOR_HOST") == "" {
		if _, err := gcp.DefaultCredentials(ctx); err != nil {
			return nil, err
		}
	}
	return blob.OpenBucket(ctx, u.String())
}

func (b *bucket) stat(ctx context.Context, key string) (object, error) {
	a, err := b.Attributes(ctx, key)
	if err != nil {
		return object{}, err
	}
	o := object{size: a.Size, changed: a.ModTime, tag: a.ETag}
	var google gcs.ObjectAttrs
	if a.As(&google) {
		o.tag = strconv.FormatInt(google.Generation, 10)
	}
	return o, nil
}

func (b *bucket) read(ctx context.Context, key string, o object, offset, length int64) (io.ReadCloser, error) {
	r, err := b.NewRangeReader(ctx, key, offset, length, &blob.ReaderOptions{
		BeforeRead: func(as func(any) bool) error { return onlyIf(as, o.tag) },
	})
	if err != nil {
		return nil, err
	}
	var answer s3.GetObjectOutput // some servers ignore If-Match, but their answer has the ETag
	if r.Size() != o.size || r.As(&answer) && answer.ETag != nil && *answer.ETag != o.tag {
		r.Close()
		return nil, errReplaced
	}
	return r, nil
}

// onlyIf makes a store refuse a request if the object was replaced.
func onlyIf(as func(any) bool, tag string) error {
	var amazon *s3.GetObjectInput
	var options *[]func(*s3.Options)
	var google **gcs.ObjectHandle
	var microsoft *azure.DownloadStreamOptions
	switch {
	case tag == "":
	case as(&amazon):
		amazon.IfMatch = &tag
		if as(&options) { // policy repeats the request, so the library must not
			*options = append(*options, func(o *s3.Options) { o.RetryMaxAttempts = 1 })
		}
	case as(&google):
		generation, err := strconv.ParseInt(tag, 10, 64)
		if err != nil {
			return err
		}
		// Offsets count the stored bytes, also for objects that are stored compressed.
		*google = (*google).If(gcs.Conditions{GenerationMatch: generation}).ReadCompressed(true)
	case as(&microsoft):
		etag := azcore.ETag(tag)
		microsoft.AccessConditions = &azure.AccessConditions{ModifiedAccessConditions: &azure.ModifiedAccessConditions{IfMatch: &etag}}
	}
	return nil
}

func (b *bucket) list(ctx context.Context, dir string, most int) (entries []fs.DirEntry, err error) {
	all := b.List(&blob.ListOptions{Prefix: dir, Delimiter: "/"})
	for most == 0 || len(entries) < most {
		o, err := all.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(o.Key, dir), "/")
		if name == "" { // some programs make an object for the directory itself
			continue
		}
		entries = append(entries, &info{name, object{size: o.Size, changed: o.ModTime, tag: tagInList(o)}, o.IsDir, b.root + "/" + o.Key})
	}
	return entries, nil
}

// tagInList returns the tag of an object as stat returns it; empty if the list does not say it.
func tagInList(o *blob.ListObject) string {
	var amazon types.Object
	var google gcs.ObjectAttrs
	var microsoft container.BlobItem
	switch {
	case o.As(&amazon) && amazon.ETag != nil:
		return *amazon.ETag
	case o.As(&google):
		return strconv.FormatInt(google.Generation, 10)
	case o.As(&microsoft) && microsoft.Properties != nil && microsoft.Properties.ETag != nil:
		return string(*microsoft.Properties.ETag)
	}
	return ""
}

func (b *bucket) put(ctx context.Context, key string, content io.Reader, size int64) error {
	ctx, cancel := context.WithCancel(ctx) // a cancel before Close abandons the object
	defer cancel()
	w, err := b.NewWriter(ctx, key, &blob.WriterOptions{
		ContentType: cmp.Or(mime.TypeByExtension(path.Ext(key)), "application/octet-stream"),
	})
	if err != nil {
		return err
	}
	if n, err := io.Copy(w, content); err != nil || n != size {
		cancel()
		return errors.Join(cmp.Or(err, io.ErrUnexpectedEOF), w.Close())
	}
	return w.Close()
}
