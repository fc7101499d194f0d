package wiring_test

import (
	"encoding/json"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The small set with its system message is made for windows of 8,192 tokens. Tokens of English text and JSON have three bytes
// or more with common vocabularies, so 4,500 bytes are at most 1,500 tokens.
func TestTheSmallSetHasAtMost4500Bytes(t *testing.T) {
	env := prompt.Env{
		Cwd: "/home/someone/projects/something", GitRoot: "/home/someone/projects/something", OS: "linux", Small: true,
		Programs: prompt.Programs(func(name string) (string, error) { return name, nil }),
	}
	var size, tools int
	for _, d := range wiring.Definitions(config.Config{}) {
		short, found := tool.Small(d)
		if !found {
			continue
		}
		if len(short.Description) >= len(d.Description) || len(short.Parameters) > len(d.Parameters) {
			t.Errorf("%s is not shorter", d.Name)
		}
		if tool.IsShellReader(d.Name) {
			continue
		}
		tools++
		env.Tools = append(env.Tools, d.Name)
		text, err := json.Marshal(map[string]any{"type": "function", "function": map[string]any{"name": d.Name, "description": short.Description, "parameters": short.Parameters}})
		if err != nil {
			t.Fatal(err)
		}
		size += len(text)
	}
	system, err := prompt.System(prompt.Sections(env), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tools != 6 || size+len(system) > 4500 {
		t.Errorf("%d tools have %d bytes, the system message %d; want 6, and together at most 4,500", tools, size, len(system))
	}
	t.Logf("tools: %d bytes, system message: %d", size, len(system))
}
