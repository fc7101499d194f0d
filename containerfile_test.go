package sidestick_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestContainerfile checks what can be checked without a container engine: the binary is
// static, the user is not root, the home is a volume, the version of Go is that of go.mod,
// and each path that is copied from the checkout exists.
func TestContainerfile(t *testing.T) {
	text, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	last := func(instruction string) string {
		all := regexp.MustCompile(`(?m)^`+instruction+` (.*)$`).FindAllStringSubmatch(string(text), -1)
		if all == nil {
			t.Fatalf("there is no %s", instruction)
		}
		return all[len(all)-1][1]
	}
	if id, err := strconv.Atoi(last("USER")); err != nil || id == 0 {
		t.Errorf("USER is %s, want the number of a user who is not root", last("USER"))
	}
	if home := strings.TrimPrefix(last("ENV"), "SIDESTICK_HOME="); home != last("VOLUME") {
		t.Errorf("SIDESTICK_HOME is %s, the volume is %s", home, last("VOLUME"))
	}
	if !strings.Contains(string(text), "\nRUN CGO_ENABLED=0 go build -trimpath ") {
		t.Error("the binary is not built without cgo")
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(string(mod))[1]
	if want := "FROM golang:" + version + " "; !strings.Contains(string(text), want) {
		t.Errorf("go.mod wants Go %s, and there is no %q", version, want)
	}
	for _, name := range []string{"go.mod", "go.sum", "cmd/sidestick"} {
		if _, err := os.Stat(name); err != nil || !strings.Contains(string(text), name) {
			t.Errorf("%s: %v, or the Containerfile does not use it", name, err)
		}
	}
}
