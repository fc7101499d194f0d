//go:build linux

package canary_test

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/creack/pty"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// userSteps is what the user does in a project after a session.
//
//go:embed testdata/user.sh
var userSteps string

// patience bounds the steps of the user.
const patience = 90 * time.Second

// user plays the user after a session, at a terminal, and returns the steps at which something outside
// of the project has changed. npm is whether the user also installs packages.
func (w *world) user(ctx context.Context, work string, npm bool) (harm []string, log string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	model := modeltest.NewServer(modeltest.Reply{Text: "Nothing to do.", Repeat: true})
	defer model.Close()
	url, err := model.Listen()
	if err != nil {
		return nil, "", err
	}
	found := filepath.Join(w.base, "temp", "harm")
	near, far, err := pty.Open()
	if err != nil {
		return nil, "", err
	}
	defer near.Close()
	cmd := exec.Command("bash", "--noprofile", "--norc", "-c", userSteps, "user", work, w.out, found)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = work, far, far, far
	cmd.Env = append(w.programEnv(evening{bwrap: true}, url), "TERM=dumb", "PAGER=cat", "EDITOR="+filepath.Join(w.base, "path", "edit"), "npm_config_cache="+filepath.Join(w.base, "temp", "npm"), "npm_config_update_notifier=false")
	if *every == 1 {
		cmd.Env = append(cmd.Env, "ALL=1")
	}
	if npm {
		cmd.Env = append(cmd.Env, "NPM=1")
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	far.Close()
	printed := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(io.LimitReader(near, 1<<20)) // it ends when nobody has the terminal open
		printed <- string(text)
		_, _ = io.Copy(io.Discard, near)
	}()
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err = cmd.Wait()
	stop()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it left
	select {
	case log = <-printed:
	case <-time.After(time.Second):
		near.Close()
	}
	text, unread := os.ReadFile(found)
	if err != nil || unread != nil {
		return nil, log, fmt.Errorf("the steps of the user: %w: %s", errors.Join(err, unread, ctx.Err()), log)
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" {
			harm = append(harm, strings.ReplaceAll(line, work, "/w"))
		}
	}
	return harm, log, nil
}
