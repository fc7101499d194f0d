package files_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
	"github.com/sidestick-dev/sidestick/internal/testing/logtest"
)

// worker is the root in which this test binary, started as a second process,
// works in session "s" until it is killed.
const worker = "SIDESTICK_TEST_WORKER"

// workAsSecondProcess does the work of a process that startWorker has started. It reports
// false in any other process.
func workAsSecondProcess() bool {
	root := os.Getenv(worker)
	if root != "" {
		fmt.Println(work(root))
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is closed, at the latest with the parent
	}
	return root != ""
}

// work appends to session "s" and keeps its claim.
func work(root string) error {
	store, err := files.Open(files.Options{Root: root})
	if err != nil {
		return err
	}
	s, _, err := openIn(store, "s")
	if err != nil {
		return err
	}
	if err := s.Claim(); err != nil {
		return err
	}
	n := s.Len()
	return s.Append(n, [][]byte{logtest.Record(int(n) + 1), logtest.Record(int(n) + 2)}, true)
}

func startWorker(t *testing.T, root string) (*exec.Cmd, io.Closer) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), worker+"="+root)
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if said, err := bufio.NewReader(stdout).ReadString('\n'); said != "<nil>\n" {
		t.Fatalf("the second process says %q, %v", said, err)
	}
	return child, stdin
}
