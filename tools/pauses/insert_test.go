package main

import (
	"os/exec"
	"path/filepath"
	"testing"
)

const source = `package p

import "sync"

func f(mu *sync.Mutex, c chan int) {
	x := 1
	mu.Lock()
	c <- x
	mu.Unlock()
	c <- 2
	for range 3 {
		select {
		case x = <-c:
			x++
		}
	}
	<-c
	go func() { mu.Lock() }()
}
`

// Where pauses go: not under a lock, and in tests before each step that is in no loop.
func TestInsert(t *testing.T) {
	const head = "package p; import \"github.com/sidestick-dev/sidestick/internal/pauses\"\n\nimport \"sync\"\n\nfunc f(mu *sync.Mutex, c chan int) {\n"
	const rest = "	for range 3 {\n		pauses.Some(); select {\n		case x = <-c:\n			pauses.Some(); x++\n		}\n	}\n	pauses.Some(); <-c\n" +
		"	pauses.Some(); go func() { pauses.Some(); mu.Lock() }()\n}\n"
	for name, want := range map[string]string{
		"a.go":      head + "	x := 1\n	pauses.Some(); mu.Lock()\n	c <- x\n	mu.Unlock()\n	pauses.Some(); c <- 2\n" + rest,
		"a_test.go": head + "	pauses.Some(); x := 1\n	pauses.Some(); mu.Lock()\n	c <- x\n	mu.Unlock()\n	pauses.Some(); c <- 2\n	pauses.Some(); " + rest[1:],
	} {
		got, _, err := insert(name, []byte(source))
		if err != nil || string(got) != want {
			t.Errorf("insert(%s): %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
	if _, _, err := insert("a.go", []byte("package")); err == nil {
		t.Error("what is no Go was taken")
	}
}

// The copy is a program that can be built.
func TestTheCopyBuilds(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "copy")
	points, err := makeCopy("../..", dir)
	if err != nil || points < 1000 {
		t.Fatalf("makeCopy = %d, %v", points, err)
	}
	cmd := exec.Command("go", "vet", "./internal/session", "./extension")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
	if _, err := makeCopy("../..", dir); err == nil {
		t.Error("a folder that exists was written into")
	}
	inside, err := filepath.Abs("../../copy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := makeCopy("../..", inside); err == nil {
		t.Error("the checkout was copied into itself")
	}
}
