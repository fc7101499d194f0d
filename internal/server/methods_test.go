package server_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/jsonrpc"
	"github.com/sidestick-dev/sidestick/internal/server"
)

// byHand lists the methods that the SDKs call or answer and that their schema lacks.
var byHand = []string{
	"session.create", "session.resume", "session.destroy", "session.detach", "session.delete",
	"session.list", "session.getMetadata", "session.getLastId", "session.getMessages",
	"session.getForeground", "session.setForeground", "status.get", "auth.getStatus",
	"autoModeSwitch.request", "exitPlanMode.request", "session.event", "systemMessage.transform", "userInput.request",
}

// madeEarly lists the methods of newer SDKs than ours that exist already.
var madeEarly = []string{"skillProvider.list", "skillProvider.read", "sandbox.getHostSupport", "session.queue.appendSteering", "session.queue.withdrawMessage", "session.sendAndWait", "session.mcp.listConfigured", "session.mcp.prompts.get", "session.mcp.prompts.list", "session.permissions.getCapabilities"}

// ours lists the methods that only this program has. docs/protocol.md describes them.
var ours = []string{"session.permissions.offer", "session.quarantine.list", "session.quarantine.allow"}

// A method of a new SDK version must be decided on: it exists, it is missing for a
// reason, or a server calls it on clients. A method that the SDK has dropped must leave
// our lists.
func TestEveryMethodOfTheSDKIsDecidedOn(t *testing.T) {
	lists := map[string][]string{}
	add := func(list string, names []string) {
		for _, name := range names {
			lists[name] = append(lists[name], list)
		}
	}
	add("methods", server.Methods())
	add("unimplemented", server.Unimplemented())
	add("calledOnClients", server.CalledOnClients())
	schema := schemaMethods(t)
	add("neverCalled", slices.DeleteFunc(allOf(server.NeverCalled()), func(name string) bool { return !slices.Contains(schema, name) })) // others are of newer SDKs
	known := slices.Concat(schema, byHand, madeEarly, ours)
	for _, name := range known {
		switch in := lists[name]; {
		case len(in) == 0:
			t.Errorf("%s is new: make it, or put it into unimplemented.go with the reason", name)
		case len(in) > 1:
			t.Errorf("%s stands in several lists, or twice in one: %s", name, strings.Join(in, ", "))
		}
	}
	for name, in := range lists {
		if !slices.Contains(known, name) {
			t.Errorf("%s stands in %s and the SDK does not know it", name, strings.Join(in, ", "))
		}
	}
}

// schemaMethods returns the methods of the schema, from the comments of the SDK's
// generated code.
func schemaMethods(t *testing.T) (names []string) {
	t.Helper()
	const generated = "github.com/github/copilot-sdk/go/rpc"
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", generated).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", generated, err)
	}
	code, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "zrpc.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`RPC method: ([\w.]+)\.\n`).FindAllSubmatch(code, -1) {
		names = append(names, string(found[1]))
	}
	if len(names) < 300 {
		t.Fatalf("%s names %d methods; its comments must have changed", generated, len(names))
	}
	return names
}

func TestAMissingMethodSaysWhy(t *testing.T) {
	for _, name := range server.Unimplemented() {
		if server.Lacking(name) == "" {
			t.Errorf("%s is listed as missing without a reason", name)
		}
	}
}

// SDKs branch on one code: -32601 makes them fall back to an older handshake. No fault
// may have it, and each kind needs a code of its own for readers of logs.
func TestEveryKindOfFaultHasItsOwnCode(t *testing.T) {
	kinds := map[int]fault.Kind{}
	for kind := fault.Internal; kind <= fault.Canceled; kind++ {
		code, ok := server.Codes[kind]
		switch other, taken := kinds[code]; {
		case !ok:
			t.Errorf("faults of kind %v have no code", kind)
		case taken:
			t.Errorf("faults of kind %v have the code %d of kind %v", kind, code, other)
		case code == jsonrpc.MethodNotFound:
			t.Errorf("faults of kind %v have the code of a missing method", kind)
		}
		kinds[code] = kind
	}
	if next := fault.Canceled + 1; next.String() != fmt.Sprintf("kind %d", next) {
		t.Errorf("%v is a kind that this test does not know", next)
	}
}

func TestErrorsBecomeCodes(t *testing.T) {
	notFound := fault.New(fault.NotFound, "files.Open", "s1", "no such session")
	for _, tc := range []struct {
		name    string
		err     error
		code    int
		message string
	}{
		{"a fault by its kind", notFound, -32001, "s1: no such session"},
		{"also behind wrappers", fmt.Errorf("resuming: %w", notFound), -32001, "resuming: s1: no such session"},
		{"anything else is ours to mend", errors.New("nil map"), jsonrpc.InternalError, "nil map"},
		{"an error of the protocol as it is", &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "no"}, jsonrpc.MethodNotFound, "no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := server.ErrorOf(tc.err); got.Code != tc.code || got.Message != tc.message {
				t.Errorf("%v becomes %d %q, want %d %q", tc.err, got.Code, got.Message, tc.code, tc.message)
			}
		})
	}
}
