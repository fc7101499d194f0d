package main

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app"
)

// asMain has this binary be the program itself: the scripts of package app test
// all else, but bring their own main.
const asMain = "SIDESTICK_TEST_MAIN=1"

func TestMain(m *testing.M) {
	if code, ran := app.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	if os.Getenv("SIDESTICK_TEST_MAIN") != "" {
		main()
		return // never: main exits
	}
	os.Exit(m.Run())
}

func program(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asMain, "SIDESTICK_HOME="+t.TempDir())
	return cmd
}

func TestExitCodeAndOutput(t *testing.T) {
	out, err := program(t, "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "sidestick ") {
		t.Errorf("version printed %q, %v", out, err)
	}
	var exit *exec.ExitError
	_, err = program(t, "--no-such-flag").Output()
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || !strings.Contains(string(exit.Stderr), "--no-such-flag") {
		t.Errorf("an unknown flag ended it with %v", err)
	}
}

// The first signal is an orderly end.
func TestSignal(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	cmd := program(t, "--server")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "listening on port ") {
		t.Fatalf("the server printed %q, %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("SIGTERM ended it with %v", err)
	}
}
