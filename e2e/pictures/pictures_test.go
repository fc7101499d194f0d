//go:build unix

package pictures

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/sidestick-dev/sidestick/e2e/built"
	"github.com/sidestick-dev/sidestick/internal/testing/golden"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// folder is where the pictures are.
const folder = "../../docs/pictures"

// binary is the program under test, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(built.Run(func(path string) int {
		binary = path
		return m.Run()
	}))
}

// Each picture of docs/terminal.md is what the program shows.
func TestPictures(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			screen := s.play(t)
			if path, picture := filepath.Join(folder, s.name+".svg"), string(draw(screen, s.what)); golden.Read(t, path, picture) != picture {
				t.Errorf("%s is out of date; run go test ./e2e/pictures -update. The program shows:\n%s", path, screen)
			}
		})
	}
}

// Every picture in the folder is of a scene, and docs/terminal.md shows it.
func TestEveryPictureIsShown(t *testing.T) {
	page, err := os.ReadFile("../../docs/terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, s := range scenes() {
		names[s.name+".svg"] = true
		if !bytes.Contains(page, []byte("](pictures/"+s.name+".svg)")) {
			t.Errorf("docs/terminal.md does not show pictures/%s.svg", s.name)
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !names[f.Name()] {
			t.Errorf("there is no scene for %s; remove it", f.Name())
		}
	}
}

// play plays the scene and returns the screen at its end.
func (s *scene) play(t *testing.T) *grid {
	model := modeltest.NewServer(s.replies...)
	t.Cleanup(model.Close)
	p := project(t)
	for _, prompt := range s.before {
		p.run(t, model.URL(), prompt)
	}
	g := p.open(t, model.URL(), s.columns(), s.rows(), s.args...)
	g.until(t, "Ask anything", "main") // the branch is there when the session is open
	for _, step := range s.steps {
		g.typed(t, step.keys)
		g.until(t, step.until...)
	}
	return g.settled(t).masked(p.home)
}
