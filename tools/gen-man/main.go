// Command gen-man writes the man pages of mpanalyze, one per command, into a directory. The text
// comes from the command tree, so the pages always say the same as --help.
package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra/doc"

	"mpanalyze/internal/cli"
	"mpanalyze/tools/helptext"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen-man DIR")
		os.Exit(1)
	}
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen-man:", err)
		os.Exit(1)
	}
}

func write(dir string) error {
	// Equal sources must give equal pages, so they do not contain today's date.
	date := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	header := &doc.GenManHeader{Section: "1", Source: "mpanalyze", Manual: "mpanalyze", Date: &date}
	root := cli.NewRoot(cli.Streams{}, cli.Engine{}, "")
	helptext.Tree(root)
	return doc.GenManTree(root, header, dir)
}
