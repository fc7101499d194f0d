//go:build conformance

package mcpconformance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/e2e/built"
)

// program names the program under test, for this test program as the client of the suite.
const program = "SIDESTICK_BINARY"

func TestMain(m *testing.M) {
	if os.Getenv(scenario) != "" {
		os.Exit(beClient())
	}
	if os.Getenv(program) != "" {
		os.Exit(m.Run())
	}
	os.Exit(built.Run(func(path string) int {
		_ = os.Setenv(program, path)
		return m.Run()
	}))
}

// Extensions are not part of the protocol, and this program has none of those that the suite tests.
const extension = "[extension]"

// failing are the scenarios that fail, with the reasons.
var failing = map[string]map[string]string{
	"0.1": {
		"auth/2025-03-26-oauth-metadata-backcompat": "the metadata of its server name an issuer with a path that they are not read from, which RFC 8414 has clients refuse; 0.2 has mended that",
	},
	"0.2": {
		"json-schema-2020-12-preservation": "the client sends back the schema that models get: without $schema, and with $defs inlined, which providers want",
	},
}

// Every scenario of each version passes, but for those that are listed.
func TestTheSuitePasses(t *testing.T) {
	for version, known := range failing {
		listed := scenarios(t, version)
		for name := range known {
			if !slices.Contains(listed, name) {
				t.Errorf("version %s has no scenario %s", version, name)
			}
		}
		for _, name := range listed {
			t.Run(version+"/"+name, func(t *testing.T) {
				t.Parallel()
				out, passed := run(t, version, "client", "--scenario", name, "--command", os.Args[0], "--timeout", "60000")
				switch why, fails := known[name]; {
				case passed && fails:
					t.Errorf("it passes; remove it from the list, where the reason is: %s", why)
				case !passed && !fails:
					t.Errorf("%s", out)
				}
			})
		}
	}
}

// colours are what the suite writes for terminals.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// run runs the suite.
func run(t *testing.T, version string, args ...string) (out string, passed bool) {
	t.Helper()
	folder := os.Getenv("SIDESTICK_MCP_CONFORMANCE")
	suite := filepath.Join(folder, "node_modules", "conformance-"+version, "dist", "index.js")
	if _, err := os.Stat(suite); err != nil || !filepath.IsAbs(folder) {
		t.Fatalf("SIDESTICK_MCP_CONFORMANCE must be the absolute path of a copy of testdata after npm ci: %v", err)
	}
	shim, err := filepath.Abs("testdata/node20.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"--import", shim, suite}, args...)...)
	var text bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &text
	err = cmd.Run()
	return colours.ReplaceAllString(text.String(), ""), err == nil
}

// scenarios are the names of the scenarios of a version for clients, without those of extensions.
func scenarios(t *testing.T, version string) (names []string) {
	t.Helper()
	out, ok := run(t, version, "list", "--client")
	for line := range strings.Lines(out) {
		name, found := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if found && !strings.Contains(name, extension) {
			name, _, _ = strings.Cut(name, " ")
			names = append(names, name)
		}
	}
	if !ok || len(names) < 20 {
		t.Fatalf("version %s lists %d scenarios: %s", version, len(names), out)
	}
	return names
}
