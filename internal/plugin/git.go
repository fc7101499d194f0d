package plugin

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// The bounds of one copy of a repository.
const (
	maxFetchTime = 2 * time.Minute
	maxFetched   = 500 << 20 // bytes on disk
	maxCopied    = 50_000    // files and folders in the copy
	maxEntry     = 8 << 10   // bytes of one entry in the listing of git; paths of Linux have 4,096
	maxGitError  = 2 << 10   // bytes of what git prints
	maxObject    = 100 << 20 // bytes of a file that git must have in memory, because it is stored as a difference
	maxInMemory  = "8m"      // bytes from which git does not read a file into memory if it can do without
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
		g := git{options: gitOptions(protocols), env: gitEnvironment(environ), dir: filepath.Dir(dir)}
		tooLarge := watchSize(ctx, cancel, dir)
		err := g.run(ctx, nil, "clone", "--quiet", "--depth=1", "--single-branch", "--no-tags", "--no-recurse-submodules", "--no-checkout", "--template=", "--", address, dir)
		if g.dir = dir; err == nil {
			// Few bytes can describe millions of files: what git would write is counted first.
			err = g.run(ctx, checkListing, "ls-tree", "-r", "-t", "-l", "-z", "--full-tree", "HEAD")
		}
		if err == nil {
			err = g.run(ctx, nil, "reset", "--quiet", "--hard", "HEAD")
		}
		cancel()
		if <-tooLarge || err == nil && size(dir) > maxFetched {
			return errTooLarge()
		}
		return err
	}
}

// gitOptions are the options of every call of git. The repository's own settings are those that
// git has made: a copy brings none.
func gitOptions(protocols []string) []string {
	options := []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.symlinks=false", "-c", "core.fsmonitor=false", "-c", "credential.helper="}
	options = append(options, "-c", "core.bigFileThreshold="+maxInMemory, "-c", "filter.lfs.smudge=", "-c", "filter.lfs.process=", "-c", "filter.lfs.required=false", "-c", "protocol.allow=never")
	for _, p := range protocols {
		options = append(options, "-c", "protocol."+p+".allow=always")
	}
	return options
}

// git is how git is called for one copy.
type git struct {
	options, env []string
	dir          string // where it runs
}

// run runs git once. read, unless it is nil, reads what git prints; if it fails, git is ended.
func (g *git) run(ctx context.Context, read func(io.Reader) error, args ...string) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, "git", append(slices.Clip(g.options), args...)...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = g.env, g.dir, 5*time.Second
	proctree.KillWhole(cmd) // the parts of git that fetch and unpack would go on for as long as a server sends
	var printed limited
	cmd.Stderr = &printed
	var out io.Reader
	if read != nil {
		var err error
		if out, err = cmd.StdoutPipe(); err != nil {
			return err
		}
	}
	if err := cmd.Start(); err != nil {
		return errors.New("git is not installed, or cannot be started: clone the repository, and give the path of the checkout")
	}
	if read != nil {
		if err := read(out); err != nil {
			stop(err)
		}
	}
	err := cmd.Wait()
	if reason := context.Cause(ctx); reason != nil {
		return reason
	}
	if err != nil {
		return fmt.Errorf("git: %s", strings.TrimSpace(printed.String()))
	}
	return nil
}

// checkListing reads what "git ls-tree -l -z" prints, and refuses a copy that would be too large.
// An entry is "MODE TYPE OBJECT SIZE", a tab, the path, and a zero byte.
func checkListing(out io.Reader) error {
	entries, total := 0, int64(0)
	for lines := bufio.NewReaderSize(out, maxEntry); ; {
		entry, err := lines.ReadSlice(0)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			return fmt.Errorf("it has a path of more than %d bytes", maxEntry)
		case err != nil:
			return err
		}
		before, _, _ := strings.Cut(string(entry), "\t")
		if fields := strings.Fields(before); len(fields) == 4 {
			bytes, _ := strconv.ParseInt(fields[3], 10, 64) // "-" for a folder
			total += bytes
		}
		if entries++; entries > maxCopied {
			return fmt.Errorf("it has more than %d files and folders", maxCopied)
		}
		if total > maxFetched {
			return errTooLarge()
		}
	}
}

func errTooLarge() error { return fmt.Errorf("it has more than %d MB", maxFetched>>20) }

// gitEnvironment is the environment of git: none of the user's configuration.
func gitEnvironment(environ []string) []string {
	env := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_LFS_SKIP_SMUDGE=1", "LC_ALL=C", "HOME=" + os.DevNull}
	env = append(env, "GIT_ALLOC_LIMIT="+strconv.Itoa(maxObject)) // a few bytes can describe a file of gigabytes
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
