package proctree

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// An update replaces the file of the program while it runs. Commands still start with a keeper.
func TestAKeeperIsTheRunningProgramAlsoWithoutItsFile(t *testing.T) {
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(copied, program, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied)
	cmd.Env = append(os.Environ(), removed+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || string(out) != "started\n" {
		t.Errorf("the program printed %q, %v", out, err)
	}
}
