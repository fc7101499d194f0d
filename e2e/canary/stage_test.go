//go:build linux

package canary_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
	"github.com/sidestick-dev/sidestick/internal/testing/attempt"
)

// The variables that say which stage of a test this process is.
const (
	stageAs  = "SIDESTICK_CANARY_STAGE"
	userAs   = "SIDESTICK_CANARY_USER" // for the first stage: the uid of the second
	contains = "contain"               // in new namespaces, as root: prepares them
	inside   = "inside"                // runs the test
)

// nobody is a user without rights, as whom root runs the tests too.
const nobody = 65534

// unprepared is the exit code of the first stage if the system does not allow its namespaces.
const unprepared = 77

// token is a secret in the environment of the process whose commands are confined.
const token = "canary-environment-6f1d"

func TestMain(m *testing.M) {
	if code, ran := sandbox.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if code, ran := proctree.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if os.Getenv(programAs) != "" {
		sidestick()
	}
	if os.Getenv(stageAs) == contains {
		code, err := contain()
		switch {
		case errors.Is(err, os.ErrPermission):
			code = unprepared
		case err != nil:
			code = 1
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// staged runs the rest of a test in processes of its own, one for each user. It returns true
// in those. With alone set, they have namespaces of their own for any user: the test does harm.
func staged(t *testing.T, alone bool) bool {
	t.Helper()
	if os.Getenv(stageAs) == inside {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			t.Fatal(err) // what a command leaves behind becomes a child of this process
		}
		return true
	}
	users := []int{os.Getuid()}
	if os.Getuid() == 0 && stride == 1 {
		users = append(users, nobody)
	}
	for _, uid := range users {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) { stage(t, uid, alone || os.Getuid() == 0) })
	}
	return false
}

// stageTime bounds one run of the tests as one user.
const stageTime = 60 * time.Minute

// stage runs the test again, in another process, as a user, and alone in namespaces or not.
func stage(t *testing.T, uid int, alone bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stageTime)
	defer cancel()
	// The name of the test is that of its parent: the first part.
	name, _, _ := cutName(t.Name())
	args := []string{"-test.run=^" + name + "$", "-test.v", "-test.timeout=" + stageTime.String(), "-canary.every=" + strconv.Itoa(*every), "-canary.only=" + *onlyOf, fmt.Sprintf("-canary.log=%t", *showLog), fmt.Sprintf("-canary.print=%t", *report != "")}
	cmd := exec.CommandContext(ctx, "/proc/self/exe", args...)
	cmd.Env = append(os.Environ(), stageAs+"="+inside, "CANARY_TOKEN="+token)
	cmd.WaitDelay = time.Second
	if alone {
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
		}
		if me := os.Getuid(); me != 0 { // root in a namespace of the user's own, which stands for the user outside
			cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
			cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: me, Size: 1}}
			cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
			uid = 0
		}
		cmd.Env = append(os.Environ(), stageAs+"="+contains, userAs+"="+strconv.Itoa(uid), "CANARY_TOKEN="+token)
	}
	out, err := stageOutput(t, cmd)
	if alone && (cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == unprepared) {
		attempt.Missing(t, fmt.Sprintf("no namespaces can be made: %v %s", err, out))
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
		return
	}
	t.Logf("%s", out)
}

// stageOutput runs a stage, and returns what it prints. With a report, that gets it at once.
func stageOutput(t *testing.T, cmd *exec.Cmd) (text string, err error) {
	t.Helper()
	var all bytes.Buffer
	cmd.Stdout = &all
	if *report != "" {
		file, err := os.OpenFile(*report, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		cmd.Stdout = io.MultiWriter(&all, file)
	}
	cmd.Stderr = cmd.Stdout
	err = cmd.Run()
	return all.String(), err
}

func cutName(name string) (first, rest string, found bool) {
	for i := range len(name) {
		if name[i] == '/' {
			return name[:i], name[i+1:], true
		}
	}
	return name, "", false
}

// contain prepares the namespaces that this process is the first one of: a network with only
// a loopback address, and temporary folders of their own. Then it runs the tests in them.
func contain() (code int, err error) {
	binary := "/tmp/canary.test"
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return 0, err
	}
	defer self.Close()
	uid, err := strconv.Atoi(os.Getenv(userAs))
	if err != nil {
		return 0, err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return 0, fmt.Errorf("making mounts private: %w", err)
	}
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return 0, fmt.Errorf("mounting /proc: %w", err)
	}
	for _, folder := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "mode=1777"); err != nil {
			return 0, fmt.Errorf("mounting %s: %w", folder, err)
		}
	}
	if err := loopbackUp(); err != nil {
		return 0, fmt.Errorf("starting the loopback network: %w", err)
	}
	copied, err := os.OpenFile(binary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
	if err != nil {
		return 0, err
	}
	if _, err := io.Copy(copied, self); err != nil {
		return 0, err
	}
	if err := copied.Close(); err != nil {
		return 0, err
	}
	cmd := exec.Command(binary, os.Args[1:]...)
	cmd.Env = append(os.Environ(), stageAs+"="+inside, "TMPDIR=/tmp")
	cmd.Stdout, cmd.Stderr, cmd.Dir = os.Stdout, os.Stderr, "/tmp"
	if uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	if err := cmd.Run(); cmd.ProcessState == nil {
		return 0, err
	}
	return cmd.ProcessState.ExitCode(), nil
}

// loopbackUp gives a new network namespace its loopback address.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request)
}

// contained reports whether nothing but these tests uses the temporary folders, the network
// and the processes that this process sees.
func contained() bool { return os.Getenv(userAs) != "" }

// accessible removes from a list of folders those that this user cannot read.
func accessible(list string) string {
	kept := ""
	for _, folder := range filepath.SplitList(list) {
		if _, err := os.ReadDir(folder); err == nil {
			kept += string(filepath.ListSeparator) + folder
		}
	}
	return kept[min(1, len(kept)):]
}
