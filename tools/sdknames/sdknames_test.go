package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
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
