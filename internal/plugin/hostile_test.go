package plugin_test

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/plugin"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// repository is a git repository that a test makes object by object.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	r := repository{t, t.TempDir()}
	r.git("", "init", "-q")
	return r
}

// git runs git with an input, and returns what it prints.
func (r repository) git(input string, args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@x"}, args...)...)
	cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(input)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// folder makes a folder that has one object many times.
func (r repository) folder(mode, kind, object string, times int) string {
	r.t.Helper()
	var list strings.Builder
	for n := range times {
		fmt.Fprintf(&list, "%s %s %s\tn%d\n", mode, kind, object, n)
	}
	return r.git(list.String(), "mktree")
}

// A repository of a few objects may describe millions of files, or terabytes: it is refused before
// any of them is written.
func TestARepositoryThatGrowsIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name, want string
		top        func(r repository) string
	}{
		{"files", "it has more than 50000 files and folders", func(r repository) string {
			top := r.folder("100644", "blob", r.git("x", "hash-object", "-w", "--stdin"), 10)
			for range 5 {
				top = r.folder("040000", "tree", top, 10)
			}
			return top
		}},
		{"folders without files", "it has more than 50000 files and folders", func(r repository) string {
			top := r.git("", "mktree")
			for range 5 {
				top = r.folder("040000", "tree", top, 10)
			}
			return top
		}},
		{"bytes", "it has more than 500 MB", func(r repository) string {
			return r.folder("100644", "blob", r.git(strings.Repeat("\x00", 1<<20), "hash-object", "-w", "--stdin"), 501)
		}},
		{"a long path", "it has a path of more than 8192 bytes", func(r repository) string {
			return r.git(fmt.Sprintf("100644 blob %s\t%s\n", r.git("x", "hash-object", "-w", "--stdin"), strings.Repeat("x", 9000)), "mktree")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := newRepository(t)
			r.git("", "update-ref", "HEAD", r.git("", "commit-tree", "-m", "x", tc.top(r)))
			copied := filepath.Join(t.TempDir(), "copied")
			err := plugin.Git([]string{"PATH=" + os.Getenv("PATH")}, "file")(t.Context(), "file://"+r.dir, copied)
			if err == nil || err.Error() != tc.want {
				t.Errorf("the copy: %v, want %q", err, tc.want)
			}
			if list, _ := filepath.Glob(filepath.Join(copied, "[^.]*")); len(list) > 0 {
				t.Errorf("%d names were written", len(list))
			}
		})
	}
}

// The checkout of a marketplace may have links. A plugin is a folder of its marketplace, and not
// another folder of the user that the author of the marketplace has chosen.
func TestAPluginThatIsALinkOutOfItsMarketplace(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"shop/marketplace.json":         `{"name":"shop","plugins":[{"name":"out","source":"./out"},{"name":"deep","source":"./by/out"},{"name":"in","source":"./in"}]}`,
		"shop/real/skills/x/SKILL.md":   "x",
		"private/skills/diary/SKILL.md": "x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{"shop/out": "../private", "shop/by": "..", "out": "private", "shop/in": "real"} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := plugin.NewStore(vfs.OS{}, filepath.Join(dir, "home"), dir)
	if err := os.Mkdir(filepath.Join(dir, "home"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := s.AddMarketplace(t.Context(), filepath.Join(dir, "shop"), ""); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{"out@shop", "deep@shop"} {
		if p, err := s.Install(t.Context(), source, ""); err == nil || !strings.Contains(err.Error(), "leads out of its marketplace") {
			t.Errorf("Install(%s) = %+v, %v", source, p, err)
		}
	}
	if _, err := s.Install(t.Context(), "in@shop", ""); err != nil {
		t.Errorf("a link within the marketplace: %v", err)
	}
}

// The manifest of a plugin or marketplace is a file of its folder, and not another file of the user
// whose names and descriptions would be shown.
func TestAManifestThatIsALinkOutOfItsFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"private.json":      `{"name":"secret","plugins":[],"version":"1"}`,
		"real/in.json":      `{"name":"in","plugins":[]}`,
		"whole/plugin.json": `{"name":"secret","plugins":[]}`,
		"home/x":            "", "plug/x": "", "shop/x": "", "deep/.github/x": "",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"plug/plugin.json": "../private.json", "shop/marketplace.json": "../private.json", "deep/.github/plugin": "../../whole",
		"real/plugin.json": "in.json", "real/marketplace.json": "in.json",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	s := plugin.NewStore(vfs.OS{}, filepath.Join(dir, "home"), dir)
	const out = "it is a link that leads out of the folder"
	for _, source := range []string{"plug", "deep"} {
		if p, err := s.Install(t.Context(), source, ""); err == nil || !strings.Contains(err.Error(), out) {
			t.Errorf("Install(%s) = %+v, %v", source, p, err)
		}
		if list, errs := s.Explicit([]string{source}, dir); len(list) != 0 || len(errs) != 1 || !strings.Contains(errs[0].Error(), out) {
			t.Errorf("Explicit(%s) = %+v, %v", source, list, errs)
		}
	}
	if name, err := s.AddMarketplace(t.Context(), "shop", ""); err == nil || !strings.Contains(err.Error(), out) {
		t.Errorf("AddMarketplace = %q, %v", name, err)
	}
	if _, err := s.Install(t.Context(), "real", ""); err != nil {
		t.Errorf("a link within the plugin: %v", err)
	}
	if _, err := s.AddMarketplace(t.Context(), "real", ""); err != nil {
		t.Errorf("a link within the marketplace: %v", err)
	}
}

// The password or token in an address is not shown: errors go to screens and logs.
func TestErrorsDoNotShowThePasswordOfAnAddress(t *testing.T) {
	_, s := shop(t)
	for _, source := range []string{
		"https://user:sesame@x.test/a", "https://sesame@x.test/a", "ssh://git:sesame@x.test/a", "http://user:se@sesame@x.test/a",
		"https://x.test/a?token=sesame", "https://x.test/a#sesame", "https://user:sesame@[bad/a", "https://user:%zzsesame@x.test/a",
	} {
		_, err := s.Install(t.Context(), source, "")
		_, more := s.AddMarketplace(t.Context(), source, "")
		if err == nil || more == nil {
			t.Errorf("%s is accepted", source)
			continue
		}
		if text := fmt.Sprintf("%v %v %+v", err, more, err); strings.Contains(text, "sesame") {
			t.Errorf("%s: %s", source, text)
		}
	}
}

// A pack of a few bytes can describe a file of gigabytes, as a difference that only repeats. Git
// would have all of it in memory.
func TestADifferenceThatGrowsIsRefused(t *testing.T) {
	r := newRepository(t)
	const piece, pieces = 0xffff, 101 << 20 / 0xffff
	base := make([]byte, piece)
	difference := append(binary.AppendUvarint(nil, piece), binary.AppendUvarint(nil, pieces*piece)...)
	for range pieces {
		difference = append(difference, 0x80|0x10|0x20, 0xff, 0xff) // copies the whole base
	}
	var pack bytes.Buffer
	pack.WriteString("PACK\x00\x00\x00\x02\x00\x00\x00\x02")
	packed(t, &pack, 3, base, "")
	packed(t, &pack, 7, difference, r.git(string(base), "hash-object", "-w", "--stdin"))
	sum := sha1.Sum(pack.Bytes())
	pack.Write(sum[:])
	r.git(pack.String(), "index-pack", "--stdin", "--fix-thin")
	large := ""
	for line := range strings.Lines(r.git("", "cat-file", "--batch-all-objects", "--batch-check")) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[2] == fmt.Sprint(pieces*piece) {
			large = fields[0]
		}
	}
	r.git("", "update-ref", "HEAD", r.git("", "commit-tree", "-m", "x", r.git("100644 blob "+large+"\tlarge\n", "mktree")))
	err := plugin.Git([]string{"PATH=" + os.Getenv("PATH")}, "file")(t.Context(), "file://"+r.dir, filepath.Join(t.TempDir(), "copied"))
	if err == nil || !strings.Contains(err.Error(), "over limit") {
		t.Errorf("the copy: %v, want that the limit of memory is exceeded", err)
	}
}

// packed writes an object as a pack has it. A difference names its base.
func packed(t *testing.T, pack *bytes.Buffer, kind byte, text []byte, base string) {
	t.Helper()
	size := len(text)
	first := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		pack.WriteByte(first | 0x80)
		first = byte(size & 127)
	}
	pack.WriteByte(first)
	name, err := hex.DecodeString(base)
	if err != nil {
		t.Fatal(err)
	}
	pack.Write(name)
	z := zlib.NewWriter(pack)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
}
