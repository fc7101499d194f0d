package mcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/proctree"
)

// roleVariable has the test binary be a server, or the program that has started one.
const roleVariable = "SIDESTICK_TEST_MCP"

// TestMain makes this binary the keeper of servers, and the servers themselves.
func TestMain(m *testing.M) {
	if code, ran := proctree.RunKeeper(os.Args[1:]); ran {
		os.Exit(code)
	}
	switch role := os.Getenv(roleVariable); role {
	case "":
		goleak.VerifyTestMain(m)
	case "host":
		beHost()
	default:
		beServer(role)
	}
}

// beServer is a server that is a program. It prints its process id, and those of programs that it
// starts, to standard error.
func beServer(role string) {
	fmt.Fprintf(os.Stderr, "pid %d\n", os.Getpid())
	switch role {
	case "stalls":
		time.Sleep(time.Hour) // a process of its own, which no bubble reaches
	case "crashes":
		fmt.Fprintln(os.Stderr, "cannot open the database")
		os.Exit(3)
	case "ignores":
		startSleepers()
		serveUntilEnd()
		time.Sleep(time.Hour) // although its standard input has ended
	case "older", "silent": // they end at the first request of protocol 2026-07-28, or ignore it
		text, in := bufio.NewReader(os.Stdin), io.Reader(nil)
		first, _ := text.ReadString('\n')
		switch asked := strings.Contains(first, "server/discover"); {
		case asked && role == "older":
			fmt.Fprintln(os.Stderr, "unexpected message")
			os.Exit(1)
		case asked:
			in = text
		default:
			in = io.MultiReader(strings.NewReader(first), text)
		}
		_ = testServer().Run(context.Background(), &sdk.IOTransport{Reader: io.NopCloser(in), Writer: os.Stdout})
		return
	case "garbage":
		fmt.Println("Server listening on stdio")
		fmt.Println(`{"level":"info","msg":"ready"}`)
		fmt.Print("\x00\xff\n42\n[]\n\n")
	case "floods":
		for data := strings.Repeat("x", 64<<10); ; {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + data + `"}}`)
		}
	case "endless":
		w := bufio.NewWriter(os.Stdout)
		for {
			_, _ = w.WriteString("xxxxxxxxxxxxxxxx")
		}
	}
	serveUntilEnd()
}

// startSleepers starts a child, and one that makes a process session of its own and loses its
// parent.
func startSleepers() {
	child := exec.Command("sleep", "3600")
	_ = child.Start()
	fmt.Fprintf(os.Stderr, "pid %d\n", child.Process.Pid)
	daemon := exec.Command("sh", "-c", "setsid sleep 3600 >/dev/null 2>&1 & echo pid $! >&2")
	daemon.Stderr = os.Stderr
	daemon.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	_ = daemon.Run()
}

func serveUntilEnd() { _ = testServer().Run(context.Background(), &sdk.StdioTransport{}) }

// beHost starts the server that ignores the end of its input, and tells when it is connected.
func beHost() {
	h := &fakeHost{cwd: "/"}
	set := New(Options{Host: h, Environ: os.Environ(), Keeper: os.Args[0]})
	set.Configure(programs("ignores"))
	set.Await(context.Background())
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	fmt.Println(set.servers["ignores"].connection.child.errors.String())
	time.Sleep(time.Hour) // until the test kills this process
}

// programs configures servers that are this binary, each named as what it does.
func programs(roles ...string) Configuration {
	c := Configuration{Servers: map[string]jsonText{}}
	for _, role := range roles {
		c.Servers[role] = jsonText(fmt.Sprintf(`{"command":%q,"args":[],"env":{%q:%q}}`, os.Args[0], roleVariable, role))
	}
	return c
}

// alive reports whether a process exists that is not a zombie.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return !strings.HasPrefix(rest, "Z") && !strings.HasPrefix(rest, "X")
}

// pids are the process ids that a server has printed.
func pids(t *testing.T, printed string) (all []int) {
	t.Helper()
	for line := range strings.Lines(printed) {
		var pid int
		if n, _ := fmt.Sscanf(line, "pid %d", &pid); n == 1 {
			all = append(all, pid)
		}
	}
	if len(all) == 0 {
		t.Fatalf("the server printed no process id: %q", printed)
	}
	return all
}
