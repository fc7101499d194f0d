package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// ripgrep returns the path of rg, empty if it is not on the PATH or this system cannot
// pass open files by number.
func ripgrep() string {
	path, err := exec.LookPath("rg")
	if err != nil || runtime.GOOS == "windows" {
		return ""
	}
	return path
}

// worth asks ripgrep which of some open files may match, because it finds that out many
// times faster than we do. We only skip the other files: lines are found and written by
// us, so the answers are the same without ripgrep. It gets the open files and not their
// paths, which may lead elsewhere by now. If it fails, every file is searched.
func (s *scan) worth(ctx context.Context, files []sought) func(int) bool {
	all := func(int) bool { return true }
	if s.prog == "" || len(files) < 2 {
		return all
	}
	args := []string{
		"--no-config", "--no-messages", "--files-with-matches", "--null",
		"--text", "--encoding=none", "--no-mmap", "--regexp", s.rg, "--",
	}
	cmd := exec.CommandContext(ctx, s.prog)
	for i, f := range files {
		args = append(args, fmt.Sprintf("/dev/fd/%d", 3+i)) // 0 to 2 are its own
		cmd.ExtraFiles = append(cmd.ExtraFiles, f.f)
	}
	cmd.Args = append(cmd.Args, args...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		return all
	}
	matched := map[int]bool{}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if n, err := strconv.Atoi(strings.TrimPrefix(string(name), "/dev/fd/")); err == nil {
			matched[n-3] = true
		}
	}
	return func(i int) bool { return matched[i] }
}
