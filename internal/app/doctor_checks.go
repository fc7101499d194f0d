package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session/approval"
	"github.com/sidestick-dev/sidestick/internal/shellword"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// checkWait bounds each check. The user waits for it.
const checkWait = 5 * time.Second

// checkHome finds out whether sessions can be stored, and the saved approvals read. If the disk hangs, as network disks
// do, the check is abandoned, because nothing can interrupt it.
func checkHome(cfg config.Config) []cli.Check {
	home := cli.Absolute(cfg.Home.Value)
	done := make(chan []cli.Check, 1)
	go func() { done <- tryHomeAndApprovals(home) }()
	select {
	case f := <-done:
		return f
	case <-time.After(checkWait):
		return []cli.Check{{About: "home", Is: fmt.Sprintf("%s did not answer in %v", home, checkWait), Next: "is it on a network disk?"}}
	}
}

func tryHomeAndApprovals(home string) []cli.Check {
	found := []cli.Check{tryHome(home)}
	if found[0].Grade != cli.Bad {
		found = append(found, checkApprovals(home)...)
	}
	return found
}

// tryHome writes a file in the home, or where the home would be, and removes it.
func tryHome(home string) cli.Check {
	f := cli.Check{About: "home", Next: "set SIDESTICK_HOME to another directory"}
	dir, err := existing(home)
	if err == nil {
		err = tryWriting(dir)
	}
	switch {
	case err != nil:
		f.Is = fmt.Sprintf("sessions cannot be stored in %s: %v", home, cli.Reason(err))
	case dir == home:
		f.Grade, f.Is, f.Next = cli.Good, "sessions can be stored", ""
	default:
		f.Grade, f.Is, f.Next = cli.Good, "is created with the first session", ""
	}
	return f
}

// existing is the nearest directory at or above path.
func existing(path string) (string, error) {
	for {
		info, err := os.Stat(path)
		switch parent := filepath.Dir(path); {
		case err == nil && info.IsDir():
			return path, nil
		case err == nil:
			return "", fmt.Errorf("%s is a file, not a directory", path)
		case !errors.Is(err, fs.ErrNotExist) || parent == path:
			return "", err
		default:
			path = parent
		}
	}
}

// tried is how many bytes are written as a test: a block of most file systems.
const tried = 4 << 10

func tryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".sidestick-doctor-*")
	if err != nil {
		return err
	}
	_, err = f.Write(make([]byte, tried)) // a full disk creates files and stores nothing in them
	return errors.Join(err, f.Sync(), f.Close(), os.Remove(f.Name()))
}

// checkApprovals finds out whether the saved approvals can be read, and whether their rules
// can match. It returns no check if nothing is wrong.
func checkApprovals(home string) []cli.Check {
	file := wiring.ApprovalsPath(home)
	odd, err := approval.OpenGrants(vfs.OS{}, file).Check()
	c := cli.Check{About: "approvals"}
	switch {
	case err != nil:
		c.Is = cli.Message(err)
		if e := new(fault.Error); errors.As(err, &e) && e.Hint != "" {
			c.Is, c.Next = e.On+": "+fault.Message(e.Err), e.Hint
		}
	case len(odd) > 0:
		c.Grade, c.Is, c.Next = cli.Fair, "rules in "+file+" could never match: "+strings.Join(odd, "; "), "correct or remove them in the file"
	default:
		return nil
	}
	return []cli.Check{c}
}

// checkLibrary says whether SDKs can host this program in process, which needs a library in the folder of the program. It
// is missing for most users and missed by few, so it is never more than said.
func checkLibrary(folder string) cli.Check {
	c := cli.Check{About: "SDKs", Grade: cli.Good}
	system := map[string]string{"linux": "linux", "darwin": "darwin", "windows": "win32"}[runtime.GOOS]
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	if system == "" || arch == "" {
		c.Is = "they start this program; none hosts it in process on this system"
		return c
	}
	name := map[string]string{"linux": "libcopilot_runtime.so", "darwin": "libcopilot_runtime.dylib", "windows": "copilot_runtime.dll"}[runtime.GOOS]
	for _, at := range []string{name, "runtime.node", "prebuilds/" + system + "-" + arch + "/runtime.node", "prebuilds/linuxmusl-" + arch + "/runtime.node"} {
		if _, err := os.Stat(filepath.Join(folder, at)); err == nil {
			c.Is = "they can start this program, or host it in process, with " + at + " beside it"
			return c
		}
	}
	c.Is = "they can start this program; the library to host it in process is not beside it (SDKs of version 1 want it on request only)"
	c.Next = "to make it, in a clone, with a C compiler: go run -C tools ./inprocess -beside " + shellword.Quote(folder)
	return c
}
