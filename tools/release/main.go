// Release builds the archives of a release, the same bytes each time: for Linux,
// macOS and Windows on amd64 and arm64, with SHA256SUMS beside them.
//
//	go run -C tools ./release -version v0.1.0 -out /tmp/release
//	go run -C tools ./release -version v0.1.0 -out /tmp/release -only linux/amd64
//	go run -C tools ./release -version v0.1.0 -out /tmp/release -cc 'python3 -m ziglang cc'
//
// With -cc, the archives have the library by which SDKs host the program in process. The C compiler of zig (in the
// package ziglang of the registry of Python) builds it for all platforms, any other one for this machine only.
//
// It builds a commit (HEAD, or -commit), not the working tree: in a clone of its own
// in which that commit has the version as its tag, because that is where the go
// command takes the version from that `sidestick version` prints. The repository
// itself is not changed. If the tag exists there, it must name the same commit.
//
// The bytes depend on the commit, the version, the version of Go and, with -cc, that of the C compiler, and on nothing
// else of the machine.
package main

import (
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/sidestick-dev/sidestick/tools/internal/library"
)

// platforms is what a release is built for.
var platforms = []string{
	"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64", "windows/arm64",
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, "..", os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run builds a release of the repository at root and prints what it has written; to notes, what is missing in it.
func run(ctx context.Context, root string, args []string, out, notes io.Writer) error {
	r, err := parse(args)
	if err != nil {
		return err
	}
	if r.cc == "" {
		fmt.Fprintln(notes, "release: the archives have no library for hosting in process; name a C compiler with -cc to have it in them")
	}
	src, err := checkout(ctx, root, r.commit, r.version)
	if err != nil {
		return err
	}
	defer src.remove()
	var sums strings.Builder
	for _, platform := range r.platforms {
		name, err := r.archive(ctx, src, platform)
		if err != nil {
			return err
		}
		sum, err := sha256Of(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, name)
	}
	fmt.Fprint(out, sums.String())
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// release is what to build.
type release struct {
	version   string // v0.1.0
	commit    string // anything that git understands
	out       string // absolute; made by parse
	platforms []string
	cc        string // the C compiler; "" builds no library
}

// versions is what the go command takes for a version. Source: semver.org.
var versions = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?$`)

func parse(args []string) (release, error) {
	f := flag.NewFlagSet("release", flag.ContinueOnError)
	var r release
	f.StringVar(&r.version, "version", "", "the version, such as v0.1.0")
	f.StringVar(&r.commit, "commit", "HEAD", "the commit to build")
	f.StringVar(&r.out, "out", "", "the folder to write to; it is made, and must be empty if it is there")
	f.StringVar(&r.cc, "cc", "", "a C compiler, to build the library for hosting in process: for other platforms than this one zig's, such as \"python3 -m ziglang cc\"")
	only := f.String("only", strings.Join(platforms, ","), "comma list of platforms")
	if err := f.Parse(args); err != nil {
		return r, err
	}
	if !versions.MatchString(r.version) {
		return r, fmt.Errorf("-version %q is no version; write it as v1.2.3 or v1.2.3-rc.1", r.version)
	}
	for p := range strings.SplitSeq(*only, ",") {
		if !slices.Contains(platforms, p) {
			return r, fmt.Errorf("-only %s: no such platform; choose from %s", p, strings.Join(platforms, ", "))
		}
		if here := runtime.GOOS + "/" + runtime.GOARCH; r.cc != "" && p != here && !library.Cross(r.cc) {
			return r, fmt.Errorf("-cc %q: builds only for %s, and not for %s; name zig's compiler, such as \"python3 -m ziglang cc\", or build only %[2]s", r.cc, here, p)
		}
		r.platforms = append(r.platforms, p)
	}
	var err error
	r.out, err = emptyFolder(r.out)
	return r, err
}

// emptyFolder makes a folder, so that nothing of an earlier release is taken for part
// of this one.
func emptyFolder(name string) (string, error) {
	if name == "" {
		return "", fmt.Errorf("give the folder to write to with -out")
	}
	dir, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	there, err := os.ReadDir(dir)
	if err == nil && len(there) > 0 {
		err = fmt.Errorf("-out %s is not empty; name another folder", dir)
	}
	return dir, err
}

func sha256Of(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return fmt.Sprintf("%x", h.Sum(nil)), err
}
