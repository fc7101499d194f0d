package vfs_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// claimant names the file that this test binary, started as a second process, claims
// until it is killed.
const claimant = "SIDESTICK_TEST_CLAIM"

func TestMain(m *testing.M) {
	if name := os.Getenv(claimant); name != "" {
		hold(name)
		return
	}
	os.Exit(m.Run())
}

func hold(name string) {
	f, err := vfs.OS{}.OpenFile(name, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Claim(vfs.ClaimOpen), f.Claim(vfs.ClaimWrite))
	}
	if err != nil {
		os.Stdout.WriteString(err.Error() + "\n")
		return
	}
	os.Stdout.WriteString("claimed\n")
	_, _ = io.Copy(io.Discard, os.Stdin) // until it is closed, at the latest with the parent
}

// While the process runs, other handles see its id. After kill -9 they can claim the file.
func TestTheSystemReleasesTheClaimsOfAKilledProcess(t *testing.T) {
	d := disk{t, vfs.OS{}, t.TempDir()}
	f := d.open("a", os.O_CREATE|os.O_RDWR)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), claimant+"="+d.path("a"))
	stdin, err := child.StdinPipe()
	d.must(err)
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	d.must(err)
	d.must(child.Start())
	said, _ := bufio.NewReader(stdout).ReadString('\n')
	if said != "claimed\n" {
		t.Errorf("the child says %q", said)
	}
	pid := child.Process.Pid
	d.wantError(f.Claim(vfs.ClaimWrite), vfs.ErrClaimed)
	d.wantHolders(f, pid, pid)
	d.must(child.Process.Kill())
	_ = child.Wait() // says that it was killed
	d.wantHolders(f, 0, 0)
	d.claim(f, vfs.ClaimWrite)
}
