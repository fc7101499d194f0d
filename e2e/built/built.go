// Package built builds Sidestick for tests that run it from outside.
package built

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// Run builds the program in a temporary folder, has tests run with its path, and returns their exit code. If
// the program cannot be built, it prints why and returns 1. TestMain calls it.
func Run(tests func(binary string) (code int)) (code int) {
	dir, err := os.MkdirTemp("", "sidestick-e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the temporary folder
	binary, err := Program(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return tests(binary)
}

// Program builds the program in a folder, and returns its path.
func Program(folder string) (path string, err error) {
	path = filepath.Join(folder, "sidestick")
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	build := exec.Command("go", "build", "-o", path, "github.com/sidestick-dev/sidestick/cmd/sidestick")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", build, err, out)
	}
	return path, nil
}
