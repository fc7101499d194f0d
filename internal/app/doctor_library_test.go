package app

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
)

// Where the library is not there, doctor says who needs it and how it is made; where it is, by which name. Neither is a
// fault of the installation.
func TestDoctorLooksForTheLibraryOfSDKs(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the names are those of Linux")
	}
	dir := filepath.Join(t.TempDir(), "a folder")
	c := checkLibrary(dir)
	if c.Grade != cli.Good || !strings.Contains(c.Next, "go run -C tools ./inprocess -beside '"+dir+"'") {
		t.Errorf("without a library: %+v", c)
	}
	for _, at := range []string{"prebuilds/linuxmusl-" + map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH] + "/runtime.node", "libcopilot_runtime.so"} {
		file := filepath.Join(dir, at)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if c := checkLibrary(dir); c.Grade != cli.Good || c.Next != "" || !strings.Contains(c.Is, at) {
			t.Errorf("with %s: %+v", at, c)
		}
	}
}
