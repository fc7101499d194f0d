package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/tools/internal/library"
)

// papers is what goes into each archive beside the program.
var papers = []string{"CHANGELOG.md", "LICENSE", "README.md"}

// archive builds the program for a platform, packs it, and returns the archive's name:
// sidestick_v0.1.0_linux_amd64.tar.gz, or .zip for Windows.
func (r release) archive(ctx context.Context, src source, platform string) (string, error) {
	goos, goarch, _ := strings.Cut(platform, "/")
	folder := "sidestick_" + r.version + "_" + goos + "_" + goarch
	program, name, pack := "sidestick", folder+".tar.gz", tarGz
	if goos == "windows" {
		program, name, pack = "sidestick.exe", folder+".zip", zipped
	}
	built := filepath.Join(src.dir, ".release-"+goos+"-"+goarch)
	if err := src.build(ctx, goos, goarch, built); err != nil {
		return "", err
	}
	defer os.Remove(built)
	files := []file{{name: path.Join(folder, program), from: built, mode: 0o755}}
	libraries, err := r.libraries(ctx, src, platform, folder)
	if err != nil {
		return "", err
	}
	files = append(files, libraries...)
	for _, p := range papers {
		files = append(files, file{name: path.Join(folder, p), from: filepath.Join(src.dir, p), mode: 0o644})
	}
	out, err := os.OpenFile(filepath.Join(r.out, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	return name, errors.Join(pack(out, files, src.when), out.Close())
}

// libraries builds what SDKs load to host the program in process, and returns it with the names by which they look for
// it. A compiler that builds only for its own system makes the library of this machine alone.
func (r release) libraries(ctx context.Context, src source, platform, folder string) ([]file, error) {
	if r.cc == "" {
		return nil, nil
	}
	all, err := library.Of(platform)
	if !library.Cross(r.cc) {
		var here library.Library
		here, err = library.Here()
		all = []library.Library{here}
	}
	if err != nil {
		return nil, err
	}
	var files []file
	for _, l := range all {
		built := filepath.Join(src.dir, ".release-"+strings.ReplaceAll(platform+"/"+l.Prebuilt, "/", "-"))
		if err := l.Build(ctx, r.cc, filepath.Join(src.dir, "inprocess"), built); err != nil {
			return nil, err
		}
		prebuilt := file{name: path.Join(folder, l.Prebuilt), from: built, mode: 0o755}
		if l.Name != "" {
			files = append(files, file{name: path.Join(folder, l.Name), from: built, mode: 0o755})
			prebuilt.link = "../../" + l.Name
		}
		files = append(files, prebuilt)
	}
	return files, nil
}

// file is one entry of an archive.
type file struct {
	name string // with slashes
	from string // on disk
	mode int64
	link string // what it is a link to, where an archive has links; "" is none
}

func tarGz(out io.Writer, files []file, when time.Time) error {
	gz, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(gz)
	for _, f := range files {
		if f.link != "" {
			head := &tar.Header{Typeflag: tar.TypeSymlink, Name: f.name, Linkname: f.link, Mode: f.mode, ModTime: when, Format: tar.FormatUSTAR}
			if err := w.WriteHeader(head); err != nil {
				return err
			}
			continue
		}
		text, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		head := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(text)), ModTime: when, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(head); err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), gz.Close())
}

func zipped(out io.Writer, files []file, when time.Time) error {
	w := zip.NewWriter(out)
	for _, f := range files {
		text, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		head := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: when}
		head.SetMode(os.FileMode(f.mode))
		to, err := w.CreateHeader(head)
		if err != nil {
			return err
		}
		if _, err := to.Write(text); err != nil {
			return err
		}
	}
	return w.Close()
}
