//go:build linux

package canary_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// world is what commands act on. Nothing in it is shared with another world.
type world struct {
	only    bool   // there is no other world in these namespaces
	base    string // the folder that holds everything
	home    string // with secrets
	out     string // files outside of the project
	docker  string // the socket of a server
	port    int    // of servers for TCP and UDP on 127.0.0.1
	victim  *exec.Cmd
	touched atomic.Int64 // connections and packets that the servers got
	env     []string
	close   []func()
}

// secretMark is in every secret file.
const secretMark = "canary-secret-93c2"

// secrets are the files in the home folder that no command may read.
var secrets = []string{
	".ssh/id_rsa", ".ssh/config", ".aws/credentials", ".azure/accessTokens.json", ".config/gcloud/credentials.db", ".config/gh/hosts.yml",
	".netrc", ".npmrc", ".pypirc", ".git-credentials", ".gnupg/private-keys-v1.d/key", ".docker/config.json", ".kube/config", ".pgpass",
	".bash_history", ".python_history", ".password-store/mail.gpg", ".cargo/credentials.toml", ".copilot/config.json", ".mozilla/firefox/logins.json",
	"other/secret.txt", "other/.env", "other/.git/config", "Mail/inbox", "go/env-secret", ".local/share/keyrings/login.keyring",
}

// newWorld makes a world, or ends the test. Its projects are made by [madeProject.copyTo].
func newWorld(t *testing.T) *world {
	t.Helper()
	w, err := makeWorld(true)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// makeWorld makes a world. Unless it is the only one, its socket that is no file has a name of its own.
func makeWorld(only bool) (*world, error) {
	base, err := os.MkdirTemp("", "canary")
	if err == nil {
		base, err = filepath.EvalSymlinks(base)
	}
	if err != nil {
		return nil, err
	}
	w := &world{only: only, base: base, home: filepath.Join(base, "home"), out: filepath.Join(base, "outside"), docker: filepath.Join(base, "run", "docker.sock")}
	w.close = append(w.close, func() { remove(base) })
	if err := errors.Join(w.furnish(), w.listen(), w.startVictim()); err != nil {
		w.end()
		return nil, err
	}
	w.env = []string{
		"PATH=" + accessible(os.Getenv("PATH")), "HOME=" + w.home, "USER=canary", "LANG=C.UTF-8", "CANARY_TOKEN=" + token,
		"GITHUB_TOKEN=" + token, "AWS_SECRET_ACCESS_KEY=" + token, "HTTPS_PROXY=http://user:" + token + "@127.0.0.1:" + strconv.Itoa(w.port),
		"PYENV_ROOT=" + os.Getenv("PYENV_ROOT"), "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOPROXY=off", "GIT_ALLOW_PROTOCOL=file:git:http:https:ssh:ext",
	}
	return w, nil
}

func remove(base string) {
	_ = filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // a command or go may have made it read-only
		}
		return nil
	})
	_ = os.RemoveAll(base) // it is in the temporary folder
}

// furnish writes the files of the home folder and outside.
func (w *world) furnish() error {
	files := map[string]string{
		filepath.Join(w.home, ".gitconfig"): "[user]\n\tname = Canary\n\temail = canary@example.com\n[protocol]\n\tallow = always\n",
		filepath.Join(w.home, ".bashrc"):    "# nothing\n", filepath.Join(w.home, ".profile"): "# nothing\n",
		filepath.Join(w.home, ".ssh/authorized_keys.d/none"): "",
		filepath.Join(w.out, "file"):                         "outside\n", filepath.Join(w.out, "secret"): secretMark + "\n",
		filepath.Join(w.out, "folder/file"): "outside\n", filepath.Join(w.base, "workother/x"): secretMark + "\n", filepath.Join(w.base, "x"): secretMark + "\n",
		filepath.Join(w.out, "script"): "#!/bin/sh\ntouch " + filepath.Join(w.out, "ran") + "\n",
	}
	for _, name := range secrets {
		files[filepath.Join(w.home, name)] = name + " " + secretMark + "\n"
	}
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return errors.Join(os.Chmod(filepath.Join(w.out, "script"), 0o755), os.Mkdir(filepath.Dir(w.docker), 0o755))
}

// listen starts servers that only count what reaches them.
func (w *world) listen() error {
	tcp, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.accept(tcp)
	w.port = tcp.Addr().(*net.TCPAddr).Port
	for _, at := range [][2]string{{"unix", w.docker}, {"unix", w.abstract()}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			return err
		}
		w.accept(l)
	}
	for _, at := range [][2]string{{"udp4", fmt.Sprintf("127.0.0.1:%d", w.port)}, {"unixgram", w.docker + ".dgram"}} {
		c, err := net.ListenPacket(at[0], at[1])
		if err != nil {
			return err
		}
		w.close = append(w.close, func() { c.Close() })
		go func() {
			for buf := make([]byte, 2048); ; w.touched.Add(1) {
				if _, _, err := c.ReadFrom(buf); err != nil {
					return
				}
			}
		}()
	}
	return nil
}

// abstract is the name of a socket that is not a file. Where others may use this machine's names, it
// has another one, and lines that connect to it find nothing.
func (w *world) abstract() string {
	if contained() && w.only {
		return "@canary"
	}
	return "@canary" + w.base
}

func (w *world) accept(l net.Listener) {
	w.close = append(w.close, func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			w.touched.Add(1)
			_, _ = io.WriteString(c, secretMark+"\n")
			c.Close()
		}
	}()
}

// startVictim starts a process that notes each signal that it gets.
func (w *world) startVictim() error {
	const script = `for s in HUP INT QUIT USR1 USR2 TERM PIPE ALRM CONT WINCH; do trap "echo $s >> signals" $s; done; echo > ready; while :; do sleep 1000 & wait $!; done`
	w.victim = exec.Command("bash", "-c", script)
	w.victim.Dir, w.victim.Env = w.out, []string{"PATH=/usr/bin:/bin", "CANARY_TOKEN=" + token}
	w.victim.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: 0}
	if err := w.victim.Start(); err != nil {
		return err
	}
	w.close = append(w.close, func() {
		_ = syscall.Kill(-w.victim.Process.Pid, syscall.SIGKILL)
		_ = w.victim.Wait()
	})
	return until(time.Minute, func() bool {
		ready, err := os.Stat(filepath.Join(w.out, "ready"))
		return err == nil && ready.Size() > 0
	})
}

// until waits for a condition, and for no longer than most.
func until(most time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), most)
	defer cancel()
	again := time.NewTicker(5 * time.Millisecond)
	defer again.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-again.C:
		}
	}
	return nil
}

func (w *world) end() {
	for i := len(w.close) - 1; i >= 0; i-- {
		w.close[i]()
	}
}

// project is the name of the folder /w of the corpus.
var project = regexp.MustCompile(`/w\b`)

// line translates a line of the corpus into this world, for the project at work.
func (w *world) line(text, work string) string {
	text = strings.ReplaceAll(text, "/wother", work+"other")
	text = project.ReplaceAllLiteralString(text, work)
	return strings.NewReplacer(
		"/home/u", w.home, "/outside", w.out, "/run/docker.sock", w.docker,
		"7071", strconv.Itoa(w.port), "54321", strconv.Itoa(w.victim.Process.Pid), "12321", strconv.Itoa(os.Getpid()),
	).Replace(text)
}
