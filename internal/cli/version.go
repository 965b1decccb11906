package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"mpanalyze/internal/engine"
	"mpanalyze/internal/report"
)

func newVersion(a *app) *cobra.Command {
	return command("version", cobra.NoArgs, func(*cobra.Command, []string) error { return a.printVersion() })
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.Out, "mpanalyze %s (report %s, %s, %s/%s)\n",
		a.programVersion(), report.SchemaName, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// programVersion returns the version that the program reports: what it was built with, or else the version of its module,
// which has the commit where the build knew it.
func (a *app) programVersion() string {
	built := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok {
		built = info.Main.Version
	}
	return cmp.Or(a.version, built)
}

// programIdentity returns a text that differs between builds, and is the same for all copies of one
// build. It is the version. If the version names neither a release nor a commit, a hash of the
// program's file follows.
func (a *app) programIdentity(ctx context.Context) string {
	version := a.programVersion()
	if version != "" && version != "unknown" && version != "(devel)" && !strings.HasSuffix(version, "dirty") {
		return version
	}
	file, _ := os.Executable() // where there is no name, there is no hash
	hash, _ := engine.HashFile(ctx, nil, file)
	return strings.TrimSpace(version + " " + hash)
}
