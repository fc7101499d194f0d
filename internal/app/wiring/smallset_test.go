package wiring_test

import (
	"encoding/json"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// The small set with its system message is made for windows of 8,192 tokens. With the frames that a template adds, llama.cpp
// counts one token for each 3.2 bytes of it with the vocabulary of SmolLM2, so 4,700 bytes are at most 1,500 tokens;
// e2e/local counts them with the server itself.
func TestTheSmallSetHasAtMost4700Bytes(t *testing.T) {
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
	if tools != 8 || size+len(system) > 4700 {
		t.Errorf("%d tools have %d bytes, the system message %d; want 8, and together at most 4,700", tools, size, len(system))
	}
	t.Logf("tools: %d bytes, system message: %d", size, len(system))
}
