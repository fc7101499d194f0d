package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The names of a crate and of a wheel, which are made up, are those that they have on the wire.
func TestNames(t *testing.T) {
	for folder, want := range map[string]string{
		"crate": `callback keeper.ask
callback keeper.sing
callback zoo.closeGate
event night
event zoo.opened
field zoo.opened.firstAnimal
field zoo.opened.firstAnimal.cubs
field zoo.opened.firstAnimal.kind
field zoo.opened.firstAnimal.maneCM
method zoo.animals.feedSlowly
method zoo.getMap
method zoo.open
setting cages
setting cages.*.byHand
setting keepers
setting opened
setting opened.ofTheGenerated
update loop
update openingHours
update openingHours.*[].from
`,
		"wheel": `callback keeper.sing
event night
event zoo.opened
field zoo.opened.firstAnimal
field zoo.opened.firstAnimal.kind
field zoo.opened.firstAnimal.maneCM
field zoo.opened.hours
field zoo.opened.hours.*[].value
method zoo.list
method zoo.open
setting cages
setting keepers
update openingHours
`,
	} {
		dir := filepath.Join("testdata", folder)
		for _, file := range []string{dir, pack(t, dir)} {
			var out strings.Builder
			if err := run([]string{"-names", file}, &out); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			if out.String() != want {
				t.Errorf("the names in %s are\n%swant\n%s", file, out.String(), want)
			}
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	empty := t.TempDir()
	for file, want := range map[string]string{
		"":                                     "name the packages: ",
		empty:                                  "it has no events of an SDK: ",
		filepath.Join(empty, "missing.whl"):    "no such file",
		filepath.Join("testdata", "crate.whl"): "no such file",
	} {
		args := []string{"-names", file}
		if file == "" {
			args = args[:1]
		}
		if err := run(args, io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", file, err, want)
		}
	}
}

// pack writes a folder into a file as registries serve it, and returns the path.
func pack(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "made-up-1.0.0.crate")
	if dir == filepath.Join("testdata", "wheel") {
		file = filepath.Join(t.TempDir(), "made_up-1.0.0-py3-none-any.whl")
	}
	out, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(file) == ".whl" {
		w := zip.NewWriter(out)
		err = errors.Join(w.AddFS(os.DirFS(dir)), w.Close())
	} else {
		z := gzip.NewWriter(out)
		w := tar.NewWriter(z)
		err = errors.Join(w.AddFS(os.DirFS(dir)), w.Close(), z.Close())
	}
	if err := errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

// A package comes from a registry. One that is made to keep the program busy, or to say two things, is refused.
func TestHostilePackagesAreRefused(t *testing.T) {
	crate := func(members ...[2]string) []byte {
		var packed bytes.Buffer
		z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
		w := tar.NewWriter(z)
		for _, m := range members {
			err := w.WriteHeader(&tar.Header{Name: m[0], Mode: 0o600, Size: int64(len(m[1]))})
			if _, failed := w.Write([]byte(m[1])); err != nil || failed != nil {
				t.Fatal(err, failed)
			}
		}
		if err := errors.Join(w.Close(), z.Close()); err != nil {
			t.Fatal(err)
		}
		return packed.Bytes()
	}
	var circles strings.Builder
	circles.WriteString("pub enum SessionEventData {\n#[serde(rename = \"a.b\")]\nB(T0),\n}\n")
	for i := range 12 {
		fmt.Fprintf(&circles, "pub struct T%d {\n", i)
		for j := range 12 {
			fmt.Fprintf(&circles, "pub f%d: T%d,\n", j, j)
		}
		circles.WriteString("}\n")
	}
	whole := crate([2]string{"c/src/generated/session_events.rs", circles.String()})
	big := strings.Repeat(" ", maxSources/2)
	for name, tc := range map[string]struct {
		packed []byte
		want   string
	}{
		"types in each other": {whole, "in too many ways"},
		"a file twice":        {crate([2]string{"c/src/a.rs", "x"}, [2]string{"c/src/a.rs", "y"}), "the file c/src/a.rs twice"},
		"too much":            {crate([2]string{"c/a.rs", big}, [2]string{"c/b.rs", big}, [2]string{"c/c.rs", "x"}), "more than 64 MiB"},
		"cut":                 {whole[:len(whole)-6], "unexpected EOF"},
	} {
		file := filepath.Join(t.TempDir(), "a.crate")
		if err := os.WriteFile(file, tc.packed, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := run([]string{"-names", file}, io.Discard); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}
