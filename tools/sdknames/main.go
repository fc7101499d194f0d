// Sdknames says which names of the newest SDKs Sidestick neither has nor names in docs/missing.md, and which
// docs/missing.md names that these SDKs do not have: methods, events, and members of settings and of events.
//
//	cargo fetch, in a package that depends on github-copilot-sdk; the file is in ~/.cargo/registry/cache
//	pip download --no-deps --pre github-copilot-sdk
//	go run -C tools ./sdknames /tmp/github-copilot-sdk-1.0.29.crate /tmp/github_copilot_sdk-1.0.27-py3-none-any.whl
//
// Paths are absolute. A file can be the folder into which it was unpacked, too. With -names the program prints the
// names, and compares nothing. Otherwise it gives them to a test of internal/server, which knows what Sidestick has.
package main

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sdknames:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	f := flag.NewFlagSet("sdknames", flag.ContinueOnError)
	print := f.Bool("names", false, "print the names, and compare nothing")
	if err := f.Parse(args); err != nil {
		return err
	}
	if f.NArg() == 0 {
		return errors.New("name the packages: FILE.crate, FILE.whl, or folders with what is in them")
	}
	var names []string
	for _, file := range f.Args() {
		more, err := read(file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		names = append(names, more...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if *print {
		_, err := fmt.Fprintln(out, strings.Join(names, "\n"))
		return err
	}
	return compare(names, out)
}

// compare runs the test of internal/server that compares names with what Sidestick has. Fields of events that the Go
// SDK has are not compared: Sidestick makes its events of the types of that SDK.
func compare(names []string, out io.Writer) error {
	dir, err := goCommand("list", "-m", "-f", "{{.Dir}}", "github.com/github/copilot-sdk/go").Output()
	if err != nil {
		return err
	}
	ours, err := read(strings.TrimSpace(string(dir)))
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "field ") && slices.Contains(ours, name) })
	file, err := os.CreateTemp("", "sdknames")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(strings.Join(names, "\n")); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	test := goCommand("test", "./internal/server", "-count=1", "-run", "^TestNamesOfPackages$", "-names", file.Name())
	test.Stdout = out
	return test.Run()
}

// goCommand is a command of Go in the folder of the project.
func goCommand(args ...string) *exec.Cmd {
	c := exec.Command("go", args...)
	c.Dir, c.Stderr = "..", os.Stderr
	return c
}

// maxSources bounds the sources of a package, in bytes. The newest crate has 8 MB.
const maxSources = 64 << 20

// read returns the names in a package.
func read(file string) (names []string, err error) {
	files := map[string]map[string]string{".rs": {}, ".py": {}, ".go": {}} // the sources, by their languages and paths
	left := int64(maxSources)
	take := func(name string, from io.Reader) error {
		if files[path.Ext(name)] == nil {
			return nil
		}
		text, err := io.ReadAll(io.LimitReader(from, left+1))
		if left -= int64(len(text)); left < 0 && err == nil {
			err = fmt.Errorf("its sources have more than %d MiB", maxSources>>20)
		}
		if _, twice := files[path.Ext(name)]["/"+name]; twice && err == nil {
			err = fmt.Errorf("it has the file %s twice", name)
		}
		files[path.Ext(name)]["/"+name] = string(text)
		return err
	}
	switch filepath.Ext(file) {
	case ".crate":
		err = readTar(file, take)
	case ".whl":
		var archive *zip.ReadCloser
		if archive, err = zip.OpenReader(file); err == nil {
			defer archive.Close()
			err = readFS(archive, take)
		}
	default:
		err = readFS(os.DirFS(file), take)
	}
	for ext, reader := range map[string]func(map[string]string) ([]string, error){".rs": readCrate, ".py": readWheel, ".go": readGo} {
		if len(files[ext]) > 0 {
			more, failed := reader(files[ext])
			names, err = append(names, more...), cmp.Or(err, failed)
		}
	}
	if err == nil && !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "event ") }) {
		err = errors.New("it has no events of an SDK: name a package of the Rust or the Python SDK, or adapt what reads its sources here, if they have another form now")
	}
	return names, err
}

func readTar(file string, take func(string, io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for archive := tar.NewReader(unzipped); ; {
		switch header, err := archive.Next(); {
		case err == io.EOF:
			_, err = io.Copy(io.Discard, unzipped) // to its checksum
			return err
		case err != nil:
			return err
		default:
			if err := take(header.Name, archive); err != nil {
				return err
			}
		}
	}
}

func readFS(dir fs.FS, take func(string, io.Reader) error) error {
	return fs.WalkDir(dir, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := dir.Open(name)
		if err != nil {
			return err
		}
		defer f.Close()
		return take(name, f)
	})
}
