package cli

import (
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
	return command("version", noArgs, func(*cobra.Command, []string) error { return a.printVersion() })
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.Out, "mpanalyze %s (report %s, %s, %s/%s)\n",
		a.programVersion(), report.SchemaName, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// programVersion returns the version that the program reports.
func (a *app) programVersion() string {
	if a.version != "" {
		return a.version
	}
	return built()
}

// built returns the version from the build information: the version of the module, else the
// commit.
func built() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	commit, dirty := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if v := info.Main.Version; v != "" && v != "(devel)" || commit == "" {
		return v
	}
	return commit + dirty
}

// programIdentity returns a text that differs between builds, and is the same for all copies of one
// build. It is the version. If the version names neither a release nor a commit, a hash of the
// program's file follows, or its size and time if it cannot be read.
func (a *app) programIdentity(ctx context.Context) string {
	version := a.programVersion()
	if version != "" && version != "unknown" && version != "(devel)" && !strings.HasSuffix(version, "-dirty") && !strings.HasSuffix(version, "+dirty") {
		return version
	}
	file, err := os.Executable()
	if err != nil {
		return version
	}
	if hash, err := engine.HashFile(ctx, nil, file); err == nil {
		return version + " " + hash
	}
	if info, err := os.Stat(file); err == nil {
		return fmt.Sprintf("%s %d %d", version, info.Size(), info.ModTime().UnixNano())
	}
	return version
}
