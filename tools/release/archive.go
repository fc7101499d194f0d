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
	files := []file{{path.Join(folder, program), built, 0o755}}
	for _, p := range papers {
		files = append(files, file{path.Join(folder, p), filepath.Join(src.dir, p), 0o644})
	}
	out, err := os.OpenFile(filepath.Join(r.out, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	return name, errors.Join(pack(out, files, src.when), out.Close())
}

// file is one entry of an archive.
type file struct {
	name string // with slashes
	from string // on disk
	mode int64
}

func tarGz(out io.Writer, files []file, when time.Time) error {
	gz, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := tar.NewWriter(gz)
	for _, f := range files {
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
