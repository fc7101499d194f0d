package plugin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// The bounds of one copy of a repository.
const (
	maxFetchTime = 2 * time.Minute
	maxFetched   = 500 << 20 // bytes on disk
	maxGitError  = 2 << 10   // bytes of what git prints
)

// Git copies repositories with the git of this machine. Nothing in the repository or in the user's
// configuration of git runs: no hooks, no filters, no submodules, no helpers, and symbolic links
// become files. protocols are those that git may use, "https" if there are none. environ is the
// environment, of which only the path, the proxies and the certificates are passed on.
func Git(environ []string, protocols ...string) Clone {
	if len(protocols) == 0 {
		protocols = []string{"https"}
	}
	return func(ctx context.Context, address, dir string) error {
		ctx, cancel := context.WithTimeoutCause(ctx, maxFetchTime, fmt.Errorf("it takes more than %v", maxFetchTime))
		defer cancel()
		args := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.symlinks=false", "-c", "core.fsmonitor=false", "-c", "credential.helper="}
		args = append(args, "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false", "-c", "protocol.allow=never")
		for _, p := range protocols {
			args = append(args, "-c", "protocol."+p+".allow=always")
		}
		args = append(args, "clone", "--quiet", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--template=", "--", address, dir)
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Env, cmd.Dir, cmd.WaitDelay = gitEnvironment(environ), filepath.Dir(dir), 5*time.Second
		proctree.KillWhole(cmd) // the parts of git that fetch and unpack would go on for as long as a server sends
		var printed limited
		cmd.Stderr = &printed
		if err := cmd.Start(); err != nil {
			return errors.New("git is not installed, or cannot be started: clone the repository, and give the path of the checkout")
		}
		tooLarge := watchSize(ctx, cancel, dir)
		err := cmd.Wait()
		if reason := context.Cause(ctx); err != nil && reason != nil {
			err = reason
		} else if err != nil {
			err = fmt.Errorf("git: %s", strings.TrimSpace(printed.String()))
		}
		cancel()
		if <-tooLarge || err == nil && size(dir) > maxFetched {
			return fmt.Errorf("it has more than %d MB", maxFetched>>20)
		}
		return err
	}
}

// gitEnvironment is the environment of git: none of the user's configuration.
func gitEnvironment(environ []string) []string {
	env := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C", "HOME=" + os.DevNull}
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		switch strings.ToUpper(name) {
		case "PATH", "HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "SYSTEMROOT", "TMPDIR":
			env = append(env, v)
		}
	}
	return env
}

// watchSize calls cancel when a folder has become too large. When ctx has ended, the channel
// reports whether that happened.
func watchSize(ctx context.Context, cancel func(), dir string) <-chan bool {
	done := make(chan bool, 1)
	go func() {
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				done <- false
				return
			case <-tick.C:
				if size(dir) > maxFetched {
					cancel()
					done <- true
					return
				}
			}
		}
	}()
	return done
}

func size(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				bytes += info.Size()
			}
		}
		return nil // what cannot be read is not counted
	})
	return bytes
}

// limited keeps the beginning of what is written to it.
type limited struct{ bytes.Buffer }

func (l *limited) Write(p []byte) (int, error) {
	if room := maxGitError - l.Len(); room > 0 {
		l.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
