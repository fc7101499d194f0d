package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// program prints its version as sidestick does.
const program = `package main

import (
	"fmt"
	"runtime/debug"
)

func main() {
	info, _ := debug.ReadBuildInfo()
	fmt.Println(info.Main.Version)
}
`

// repository is a small one with the files that a release needs, and two commits.
func repository(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "go.mod", "module example.com/sidestick\n\ngo 1.26\n")
	write(t, dir, "cmd/sidestick/main.go", program)
	sources, err := filepath.Glob("../../inprocess/*.[ch]")
	if err != nil || len(sources) == 0 {
		t.Fatal("no sources of the library", err)
	}
	for _, s := range sources {
		write(t, dir, "inprocess/"+filepath.Base(s), string(read(t, s)))
	}
	for _, p := range papers {
		write(t, dir, p, p+"\n")
	}
	git(t, dir, "init", "--quiet")
	commit(t, dir)
	write(t, dir, "README.md", "The second.\n")
	commit(t, dir)
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	at := filepath.Join(dir, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", ".")
	git(t, dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgSign=false", "commit", "--quiet", "-m", "x")
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// host is the platform of this machine, which a release must have to be tried.
var host = runtime.GOOS + "/" + runtime.GOARCH

// The same commit and version give the same bytes, in another folder and with other
// settings around, and what is not committed has no part in them.
func TestTwoBuildsAreTheSameBytes(t *testing.T) {
	repo := repository(t)
	first, second := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b", "c")
	build(t, repo, "-version", "v1.2.3", "-out", first, "-only", host+",windows/arm64")
	write(t, repo, "README.md", "Not committed.\n")
	write(t, repo, "cmd/sidestick/more.go", "package main\n\nfunc init() { panic(1) }\n")
	t.Setenv("GOFLAGS", "-buildvcs=false")
	t.Setenv("GOAMD64", "v2")
	build(t, repo, "-version", "v1.2.3", "-out", second, "-only", host+",windows/arm64")
	names, err := os.ReadDir(first)
	if err != nil || len(names) != 3 {
		t.Fatalf("%v, %v, want two archives and SHA256SUMS", names, err)
	}
	for _, n := range names {
		a, b := read(t, filepath.Join(first, n.Name())), read(t, filepath.Join(second, n.Name()))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs: %d and %d bytes", n.Name(), len(a), len(b))
		}
	}
}

// compilers returns the C compiler of this machine, and zig's if there is one.
func compilers(t *testing.T) []string {
	t.Helper()
	var found []string
	if _, err := exec.LookPath("cc"); err == nil {
		found = append(found, "cc")
	}
	if zig := os.Getenv("SIDESTICK_TEST_ZIG"); zig != "" { // such as "python3 -m ziglang cc"
		found = append(found, zig)
	}
	if len(found) == 0 {
		t.Skip("there is no C compiler")
	}
	return found
}

// The library lies where SDKs look for it, and is the same bytes each time.
func TestArchiveHoldsTheLibrary(t *testing.T) {
	repo := repository(t)
	for _, cc := range compilers(t) {
		t.Run(cc, func(t *testing.T) {
			only := host
			if cc != "cc" {
				only = strings.Join(platforms, ",")
			}
			outs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b", "c")}
			for _, out := range outs {
				build(t, repo, "-version", "v1.2.3", "-out", out, "-only", only, "-cc", cc)
			}
			if a, b := read(t, filepath.Join(outs[0], "SHA256SUMS")), read(t, filepath.Join(outs[1], "SHA256SUMS")); !bytes.Equal(a, b) {
				t.Errorf("two builds differ:\n%s%s", a, b)
			}
			for platform := range strings.SplitSeq(only, ",") {
				checkLibrary(t, outs[0], platform, cc != "cc")
			}
		})
	}
}

func checkLibrary(t *testing.T, out, platform string, cross bool) {
	t.Helper()
	goos, goarch, _ := strings.Cut(platform, "/")
	folder := "sidestick_v1.2.3_" + goos + "_" + goarch
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[goarch]
	if goos == "windows" {
		z, err := zip.OpenReader(filepath.Join(out, folder+".zip"))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		sizes := map[string]uint64{}
		for _, f := range z.File {
			sizes[f.Name] = f.UncompressedSize64
		}
		if n := sizes[folder+"/copilot_runtime.dll"]; n == 0 || sizes[folder+"/prebuilds/win32-"+arch+"/runtime.node"] != n {
			t.Errorf("%s has %v", folder, sizes)
		}
		return
	}
	named := map[string]string{"linux": "libcopilot_runtime.so", "darwin": "libcopilot_runtime.dylib"}[goos]
	files := unpack(t, filepath.Join(out, folder+".tar.gz"))
	if len(files[folder+"/"+named]) < 10000 {
		t.Errorf("%s has a library of %d bytes", folder, len(files[folder+"/"+named]))
	}
	if link := string(files[folder+"/prebuilds/"+goos+"-"+arch+"/runtime.node"]); link != "-> ../../"+named {
		t.Errorf("%s has runtime.node %q", folder, link)
	}
	if musl := files[folder+"/prebuilds/linuxmusl-"+arch+"/runtime.node"]; cross && goos == "linux" && len(musl) < 10000 {
		t.Errorf("%s has a library for musl of %d bytes", folder, len(musl))
	}
}

func TestArchiveHoldsTheProgramWithItsVersion(t *testing.T) {
	repo, out := repository(t), t.TempDir()
	sums := build(t, repo, "-version", "v1.2.3-rc.1", "-out", out, "-only", host+",windows/amd64")
	if got := read(t, filepath.Join(out, "SHA256SUMS")); string(got) != sums || strings.Count(sums, "\n") != 2 {
		t.Errorf("SHA256SUMS is %q, printed %q", got, sums)
	}
	folder := "sidestick_v1.2.3-rc.1_" + strings.ReplaceAll(host, "/", "_")
	files := unpack(t, filepath.Join(out, folder+".tar.gz"))
	if string(files[folder+"/README.md"]) != "The second.\n" || len(files) != 4 {
		t.Errorf("%s has %d files, README.md %q", folder, len(files), files[folder+"/README.md"])
	}
	binary := filepath.Join(t.TempDir(), "sidestick")
	if err := os.WriteFile(binary, files[folder+"/sidestick"], 0o755); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.Command(binary).Output(); err != nil || strings.TrimSpace(string(said)) != "v1.2.3-rc.1" {
		t.Errorf("the program says %q, %v", said, err)
	}
	z, err := zip.OpenReader(filepath.Join(out, "sidestick_v1.2.3-rc.1_windows_amd64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	if first := z.File[0]; first.Name != "sidestick_v1.2.3-rc.1_windows_amd64/sidestick.exe" || first.Mode() != 0o755 {
		t.Errorf("the first file of the zip is %s %v", first.Name, first.Mode())
	}
}

func TestWhatIsRefused(t *testing.T) {
	repo, full := repository(t), t.TempDir()
	git(t, repo, "tag", "v1.0.0", "HEAD~1")
	write(t, full, "old.tar.gz", "old")
	for _, tc := range []struct{ name, args, want string }{
		{"no version", "-version 1.0 -out X", `-version "1.0" is no version`},
		{"no folder", "-version v1.0.0", "give the folder to write to with -out"},
		{"a folder with something in it", "-version v1.0.0 -out " + full, "is not empty"},
		{"an unknown platform", "-version v1.0.0 -out X -only plan9/amd64", "-only plan9/amd64: no such platform"},
		{"a compiler of this machine for another one", "-version v1.0.0 -out X -cc gcc", "builds only for " + host},
		{"a compiler that is none", "-version v1.0.1 -out X -cc no-such-compiler -only " + host, "no-such-compiler"},
		{"a tag of another commit", "-version v1.0.0 -out X", "the tag v1.0.0 exists and does not name the commit"},
		{"no such commit", "-version v1.0.1 -out X -commit nothing", "git rev-parse"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			args := strings.Fields(strings.Replace(tc.args, "X", filepath.Join(t.TempDir(), "out"), 1))
			if err := run(t.Context(), repo, args, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("run = %v, want %q", err, tc.want)
			}
		})
	}
}

// build runs a release and returns what it printed.
func build(t *testing.T, repo string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	var notes bytes.Buffer
	if err := run(t.Context(), repo, args, &out, &notes); err != nil {
		t.Fatal(err)
	}
	if said := strings.Contains(notes.String(), "have no library"); said == slices.Contains(args, "-cc") {
		t.Errorf("run %v said %q", args, notes.String())
	}
	return out.String()
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// unpack is the files of a .tar.gz by name.
func unpack(t *testing.T, name string) map[string][]byte {
	t.Helper()
	gz, err := gzip.NewReader(bytes.NewReader(read(t, name)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for r := tar.NewReader(gz); ; {
		head, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[head.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
		if head.Typeflag == tar.TypeSymlink {
			files[head.Name] = []byte("-> " + head.Linkname)
		}
	}
}
