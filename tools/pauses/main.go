// Pauses makes a copy of the checkout whose goroutines meet in other orders than usual:
// before each lock, send, receive and select, where a goroutine begins, and between the
// steps of tests, they yield or sleep for a random time. A test that fails there, and is
// not merely slow, relies on an order that nothing guarantees, or has found code that
// does.
//
//	go run -C tools ./pauses /tmp/paused
//	cd /tmp/paused && go test -count=10 ./internal/session ./internal/web
//
// $PAUSE_US is the longest sleep in microseconds, 1000 if it is not set. In bubbles of
// testing/synctest, where sleep is no time and a lock that is held must not sleep, they
// only yield.
package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

//go:embed pauses.go.txt
var added []byte

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run -C tools ./pauses DIR, which must not exist")
		os.Exit(2)
	}
	dir, err := filepath.Abs(os.Args[1])
	points := 0
	if err == nil {
		points, err = makeCopy("..", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pauses:", err)
		os.Exit(1)
	}
	fmt.Printf("%d pauses; now: cd %s && go test -count=10 ./internal/... ./extension\n", points, dir)
}

// makeCopy copies the checkout at root to dir, folders with a dot in front excepted, and
// returns how many pauses it put into files of Go.
func makeCopy(root, dir string) (points int, err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%s exists: name a folder that does not", dir)
	}
	if inside, err := within(root, dir); inside || err != nil {
		return 0, errors.Join(err, fmt.Errorf("%s is in the checkout, and would be copied into itself: name a folder elsewhere", dir))
	}
	checkout := os.DirFS(root)
	err = fs.WalkDir(checkout, ".", func(name string, d fs.DirEntry, err error) error {
		switch to := filepath.Join(dir, name); {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		default:
			n, err := copyFile(checkout, name, to)
			points += n
			return err
		}
	})
	if err != nil {
		return points, err
	}
	room := filepath.Join(dir, "internal/pauses")
	return points, errors.Join(os.Mkdir(room, 0o755), os.WriteFile(filepath.Join(room, "pauses.go"), added, 0o644))
}

// within reports whether dir is below root.
func within(root, dir string) (bool, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return false, err
	}
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel), nil // of another volume it is not
}

// copyFile copies a file with its mode, and returns how many pauses it got.
func copyFile(checkout fs.FS, name, to string) (points int, err error) {
	info, err := fs.Stat(checkout, name)
	if err != nil {
		return 0, err
	}
	data, err := fs.ReadFile(checkout, name)
	if err == nil && paused(name) {
		data, points, err = insert(name, data)
	}
	if err != nil {
		return 0, err
	}
	return points, os.WriteFile(to, data, info.Mode().Perm())
}

// quiet are rooms in which no goroutines meet, or whose locks are too many.
var quiet = []string{"internal/vfs/", "internal/fault/", "internal/wire/", "internal/jsonscan/"}

// paused reports whether a file gets pauses.
func paused(name string) bool {
	for _, room := range quiet {
		if strings.HasPrefix(name, room) {
			return false
		}
	}
	for _, end := range []string{"bench_test.go", "fuzz_test.go", "main_test.go"} {
		if strings.HasSuffix(name, end) {
			return false
		}
	}
	return strings.HasSuffix(name, ".go") && (strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "extension/"))
}
