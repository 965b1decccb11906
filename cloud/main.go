// Command mpanalyze-cloud is mpanalyze with object storage. Wherever mpanalyze takes the name
// of a file, it takes these, too:
//
//	s3://BUCKET/KEY       Amazon S3 and other stores with its protocol
//	gs://BUCKET/KEY       Google Cloud Storage
//	azblob://CONTAINER/KEY  Azure Blob Storage
//	https://HOST/PATH     a web server; http:// also
//
// It is a separate module, because the libraries of three clouds are larger than the analyser.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"mpanalyze/internal/launch"
	"mpanalyze/internal/storage"
)

// version is set by the linker; empty to take it from the build information.
var version string

func main() {
	// The first interrupt ends the reading, as it does for files; a second one ends the program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	storage.Use(newBackend(ctx, defaultPolicy))
	launch.Main(version)
}
