//go:build linux

package canary_test

import (
	"strings"
	"testing"
)

// controls are lines that do harm without a sandbox, each with the beginning of what a detector
// must report.
var controls = []struct{ line, want string }{
	{"echo x >> /outside/file", "file: changed"},
	{"echo x > /outside/new", "file: changed"},
	{"rm /outside/file", "file: changed"},
	{"rm -r /outside/folder", "file: removed"},
	{"mv /outside/file /outside/renamed", "file: removed"},
	{"chmod 600 /outside/file", "file: changed"},
	{"touch -d 2001-01-01 /outside/file", "file: changed"},
	{"python3 -c \"import os; os.setxattr('/outside/file', 'user.canary', b'1')\"", "file: changed"},
	{"cp /outside/file f; cat f > /outside/file", "file: changed"},
	{"ln /outside/file /outside/linked", "file: changed"},
	{"echo x > out/new", "file: changed"},
	{"echo x > dangling", "file: changed"},
	{"cat ~/.ssh/id_rsa", "output"},
	{"base64 -w0 ~/.netrc", "output"},
	{"xxd -p -c 99 ~/.netrc", "output"},
	{"rev ~/.netrc", "output"},
	{"cat /proc/54321/environ", "output"},
	{"cat /proc/12321/environ", "output"},
	{"echo $CANARY_TOKEN", "output"},
	{"echo x > /dev/tcp/127.0.0.1/7071", "network"},
	{"echo x > /dev/udp/127.0.0.1/7071; sleep .1", "network"},
	{"python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('/run/docker.sock')\"", "network"},
	{"python3 -c \"import socket; socket.socket(socket.AF_UNIX).connect('\\0canary')\"", "network"},
	{"python3 -c \"import socket; socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM).sendto(b'x','/run/docker.sock.dgram')\"; sleep .1", "network"},
	{"kill -USR1 54321; sleep .2", "file: new"},
	{"kill -STOP 54321; sleep .1", "process: was"},
	{"kill -9 54321; sleep .1", "process: was"},
	{"renice 19 54321", "process: was"},
	{"prlimit --pid 54321 --core=0:0 --nofile=99:99", "process: was"},
	{"taskset -p 1 54321", "process: was"},
	{"python3 -c \"import os,time; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.closerange(0,10); time.sleep(300)\"; sleep .3", "process left"},
	{"echo x >> .git/config", "settings"},
	{"touch .git/hooks/pre-commit", "settings"},
	{"mv .vscode moved; mkdir .vscode", "settings"},
	{"rm .envrc", "settings"},
	{"git config core.fsmonitor 'touch /outside/pwned'", "file, after git status: changed"},
	{"mv sub x; git init -q sub; git -C sub config core.fsmonitor 'touch /outside/pwned'", "file, after git status: changed"},
	{"touch /var/tmp/canary-was-here", "system: new"},
	{"python3 -c \"import ctypes; ctypes.CDLL(None).shmget(0x51de,4096,0o1666)\"", "system: changed"},
}

// Without a sandbox every detector finds something. If one does not, what the other tests do
// not find means nothing.
func TestControls(t *testing.T) {
	if !staged(t, true) {
		return
	}
	p := newProject(t)
	for i := 0; i < len(controls); i += min(stride, 6) {
		c := controls[i]
		harm, unrun := try(t, mode{name: "none", bare: true}, p, []string{c.line})
		found := false
		for _, h := range harm {
			found = found || strings.HasPrefix(h, c.want)
		}
		if !found || len(unrun) > 0 {
			t.Errorf("%q: not detected as %q: %q %q", c.line, c.want, harm, unrun)
		}
	}
}

// A read-only project that was changed is detected.
func TestControlOfReading(t *testing.T) {
	if !staged(t, true) {
		return
	}
	p := newProject(t)
	for _, line := range []string{"echo x > new", "touch a", "chmod 700 a", "rm b", "mkdir d"} {
		if harm, _ := try(t, mode{name: "none, as if it only read", bare: true, reads: true}, p, []string{line}); len(harm) == 0 {
			t.Errorf("%q was not detected", line)
		}
	}
}
