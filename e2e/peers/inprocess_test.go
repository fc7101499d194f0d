//go:build npm

package peers

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/e2e/built"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// A program on the SDK for Node hosts the runtime in process. Node runs the callbacks of the library on the thread that
// closes the connection, so a client that stops while an answer arrives must neither hang nor crash.
func TestTheNodeSDKHostsTheRuntime(t *testing.T) {
	binary, err := built.Program(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	library := exec.Command("go", "run", "-C", "../../tools", "./inprocess", "-beside", filepath.Dir(binary))
	if out, err := library.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", library, err, out)
	}
	model := modeltest.NewServer(
		modeltest.Reply{When: modeltest.LastIs("One."), Text: "It is one.", Repeat: true},
		modeltest.Reply{When: modeltest.LastIs("Long."), Text: strings.Repeat("and so on ", 20000)},
	)
	t.Cleanup(model.Close)
	runNode(t, "inprocess.mjs", map[string]any{"binary": binary, "home": t.TempDir(), "provider": model.URL() + "/v1"})
}
