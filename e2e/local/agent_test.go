//go:build local

package local

import (
	"encoding/json"
	"sync"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// The model calls two tools of the application in one message; both run, the model reads both results, and
// answers. Sidestick sends what the server's own parser has made of the model's text.
func TestToolsOfTheApplication(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 120})
	var mu sync.Mutex // guards ran
	var ran []string
	tide := copilot.DefineTool("tide", "The tide at a port.", func(p struct {
		Port string `json:"port"`
	}, _ copilot.ToolInvocation,
	) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		ran = append(ran, p.Port)
		return "high at six in " + p.Port, nil
	})
	tide.SkipPermission = true
	s, answer := called(t, start(t, t.TempDir()), copilot.SessionConfig{
		Provider: m.provider(), Tools: []copilot.Tool{tide}, AvailableTools: []string{"custom:tide"},
	}, toolCall{"tide", `{"port": "Oslo"}`}, toolCall{"tide", `{"port": "Bergen"}`})
	mu.Lock()
	defer mu.Unlock()
	ports := map[string]bool{}
	for _, port := range ran[max(0, len(ran)-2):] { // sessions before, in which it made one call, do not count
		ports[port] = true
	}
	if !ports["Oslo"] || !ports["Bergen"] {
		t.Errorf("the tools ran for %q", ran)
	}
	usage := all[*copilot.AssistantUsageData](s)
	if len(usage) < 2 {
		t.Fatalf("the model was called %d times:\n%s", len(usage), s.told())
	}
	// The second prompt is longer by the calls and the results.
	if first, second := count(usage[0].InputTokens), count(usage[1].InputTokens); second < first+60 {
		t.Errorf("the prompts have %d and %d tokens: the results were not read", first, second)
	}
	if answer == "" {
		t.Errorf("there is no answer:\n%s", s.told())
	}
	if errors := all[*copilot.SessionErrorData](s); len(errors) > 0 {
		t.Errorf("errors: %s", s.told())
	}
}

// The server forces the answer into the form of the schema. Without a form, this model answers no JSON at all.
func TestStructuredOutput(t *testing.T) {
	t.Parallel()
	m := model(t, modelOptions{Longest: 120})
	s := create(t, start(t, t.TempDir()), copilot.SessionConfig{Provider: m.provider()})
	schema := map[string]any{
		"type": "object", "required": []string{"city", "people"}, "additionalProperties": false,
		"properties": map[string]any{
			"city":   map[string]any{"type": "string", "maxLength": 20},
			"people": map[string]any{"type": "integer", "minimum": 1, "maximum": 9999999},
		},
	}
	_, err := s.RPC.Send(soon(t), &rpc.SendRequest{Prompt: "Which city is the largest of Norway?", ResponseFormat: &rpc.ResponseFormat{
		Type: rpc.ResponseFormatTypeJSONSchema, JSONSchema: rpc.JSONSchemaResponseFormat{Name: "city", Schema: schema},
	}})
	if err != nil {
		t.Fatal(err)
	}
	await[*copilot.SessionIdleData](s, 1)
	answers := all[*copilot.AssistantMessageData](s)
	if len(answers) != 1 {
		t.Fatalf("there are %d answers:\n%s", len(answers), s.told())
	}
	var got struct {
		City   *string `json:"city"`
		People *int    `json:"people"`
	}
	if err := json.Unmarshal([]byte(answers[0].Content), &got); err != nil || got.City == nil || got.People == nil {
		t.Errorf("the answer is %q: %v", answers[0].Content, err)
	}
}
