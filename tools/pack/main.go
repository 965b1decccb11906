// Command pack makes an archive of a directory: a zip file if its name ends in .zip, else a tar
// file compressed by gzip. Equal files make equal archives: names are
// sorted, owners are left out, and every file has the time SOURCE_DATE_EPOCH.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(args []string, epoch string) error {
	if len(args) != 2 {
		return errors.New("usage: SOURCE_DATE_EPOCH=SECONDS pack FILE.tar.gz|FILE.zip DIR")
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH %q: want seconds since 1970", epoch)
	}
	out, err := os.Create(args[0])
	if err != nil {
		return err
	}
	write := writeTar
	if strings.HasSuffix(args[0], ".zip") {
		write = writeZip
	}
	return errors.Join(write(out, args[1], time.Unix(seconds, 0).UTC()), out.Close())
}

// each calls add for every file and directory below dir, in the order of their names. name is the
// name in the archive, which begins with dir's last element.
func each(dir string, add func(name string, mode fs.FileMode, content []byte) error) error {
	top := filepath.Base(dir)
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		switch {
		case d.IsDir():
			mode = fs.ModeDir | 0o755
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s: neither a file nor a directory", file)
		case info.Mode()&0o100 != 0:
			mode = 0o755
		}
		name := path.Join(top, filepath.ToSlash(below))
		if mode.IsDir() {
			return add(name, mode, nil)
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return add(name, mode, content)
	})
}

func writeTar(w io.Writer, dir string, at time.Time) error {
	zipped, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(zipped)
	err = each(dir, func(name string, mode fs.FileMode, content []byte) error {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: int64(mode.Perm()), Size: int64(len(content)), ModTime: at, Format: tar.FormatPAX}
		if mode.IsDir() {
			h.Typeflag, h.Name = tar.TypeDir, name+"/"
		}
		if err := archive.WriteHeader(h); err != nil {
			return err
		}
		_, err := archive.Write(content)
		return err
	})
	return errors.Join(err, archive.Close(), zipped.Close())
}

func writeZip(w io.Writer, dir string, at time.Time) error {
	archive := zip.NewWriter(w)
	err := each(dir, func(name string, mode fs.FileMode, content []byte) error {
		h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
		h.SetMode(mode)
		if mode.IsDir() {
			h.Name, h.Method = name+"/", zip.Store
		}
		to, err := archive.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = to.Write(content)
		return err
	})
	return errors.Join(err, archive.Close())
}
