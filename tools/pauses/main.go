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
	"os"
	"os/exec"
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

// makeCopy copies the files that git knows from root to dir, and returns how many pauses
// it put into those of Go.
func makeCopy(root, dir string) (points int, err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		return 0, fmt.Errorf("%s exists: name a folder that does not", dir)
	}
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		return 0, fmt.Errorf("git ls-files in %s: %w", root, err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return 0, err
		}
		if paused(name) {
			var n int
			if data, n, err = insert(name, data); err != nil {
				return 0, err
			}
			points += n
		}
		if err := write(filepath.Join(dir, name), data, root, name); err != nil {
			return 0, err
		}
	}
	return points, write(filepath.Join(dir, "internal/pauses/pauses.go"), added, root, "go.mod")
}

// write makes a file with the mode of that of the checkout.
func write(to string, data []byte, root, like string) error {
	info, err := os.Stat(filepath.Join(root, like))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, data, info.Mode().Perm())
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
