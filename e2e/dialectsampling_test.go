package e2e_test

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

// rowTemperature is the row that a column lacks whose models all take a temperature.
const rowTemperature = "Temperature for a model that does not take it"

// sampling is what the rows about the parameters of models.json need of a column.
type sampling struct {
	model string // one that takes a temperature; "" is that of the column
	// provider is its name in models.json, base its address. The fake is the proxy to it: what is sent
	// depends on the vendor, and other fakes of chat completions are at addresses of no vendor.
	provider, base string
	// sent are the members that the request has for the parameters of [parameters]; others are refused.
	sent map[string]string
	// extra is a member that the dialect does not write, owned are some that it writes.
	extra string
	owned []string
}

// parameters are the fields of request in models.json, with a value for each.
var parameters = []struct{ name, value string }{
	{"temperature", "0.5"},
	{"topP", "0.9"},
	{"topK", "40"},
	{"minP", "0.05"},
	{"seed", "7"},
	{"presencePenalty", "0.25"},
	{"frequencyPenalty", "-0.25"},
	{"repeatPenalty", "1.1"},
}

var (
	openAISampling = sampling{
		model: "gpt-4.1", provider: "openai", base: "http://api.openai.com/v1", extra: `"stop":["zz"]`, owned: []string{"messages", "tools", "stream", "Messages"},
		sent: map[string]string{
			"temperature": `"temperature":0.5`, "topP": `"top_p":0.9`, "seed": `"seed":7`, "presencePenalty": `"presence_penalty":0.25`, "frequencyPenalty": `"frequency_penalty":-0.25`,
		},
	}
	deepSeekSampling = sampling{
		provider: "deepseek", base: "http://api.deepseek.com", extra: `"stop":["zz"]`, owned: []string{"messages", "tools", "stream", "model"},
		sent: map[string]string{
			"temperature": `"temperature":0.5`, "topP": `"top_p":0.9`, "presencePenalty": `"presence_penalty":0.25`, "frequencyPenalty": `"frequency_penalty":-0.25`,
		},
	}
	responsesSampling = sampling{
		model: "azure:gpt-4.1", provider: "azure", extra: `"metadata":{"a":"b"}`, owned: []string{"input", "tools", "stream", "store"},
		sent: map[string]string{"temperature": `"temperature":0.5`, "topP": `"top_p":0.9`},
	}
	anthropicSampling = sampling{
		model: "anthropic:claude-sonnet-4-5", provider: "anthropic", extra: `"metadata":{"user_id":"u"}`, owned: []string{"messages", "tools", "stream", "thinking"},
		sent: map[string]string{"temperature": `"temperature":0.5`, "topP": `"top_p":0.9`, "topK": `"top_k":40`},
	}
	geminiSampling = sampling{
		provider: "gemini", extra: `"safetySettings":[]`, owned: []string{"contents", "tools", "generationConfig"},
		sent: map[string]string{
			"temperature": `"temperature":0.5`, "topP": `"topP":0.9`, "topK": `"topK":40`, "seed": `"seed":7`, "presencePenalty": `"presencePenalty":0.25`, "frequencyPenalty": `"frequencyPenalty":-0.25`,
		},
	}
	bedrockSampling = sampling{
		model: "bedrock:us.amazon.nova-2-lite-v1:0", provider: "bedrock", extra: `"requestMetadata":{"a":"b"}`, owned: []string{"messages", "toolConfig", "inferenceConfig"},
		sent: map[string]string{"temperature": `"temperature":0.5`, "topP": `"topP":0.9`},
	}
	ollamaSampling = sampling{
		provider: "ollama", extra: `"keep_alive":"5m"`, owned: []string{"messages", "tools", "stream", "Options"},
		sent: map[string]string{
			"temperature": `"temperature":0.5`, "topP": `"top_p":0.9`, "topK": `"top_k":40`, "minP": `"min_p":0.05`, "seed": `"seed":7`,
			"presencePenalty": `"presence_penalty":0.25`, "frequencyPenalty": `"frequency_penalty":-0.25`, "repeatPenalty": `"repeat_penalty":1.1`,
		},
	}
)

// sampled is a session whose models.json the test changes between two prompts.
type sampled struct {
	*dialectScene
	file    string
	prompts int
}

// openSampled begins a session with a model, in the runtime of the stage or, for chat completions, in one that calls the
// vendor's address through the fake.
func (s *dialectStage) openSampled(t *testing.T, name, effort string) *sampled {
	t.Helper()
	client, home := s.client, s.home
	if s.sampling.base != "" {
		home = t.TempDir()
		client = serve(t, home, "OPENAI_BASE_URL="+s.sampling.base, "OPENAI_API_KEY="+strict.Key, "HTTP_PROXY="+s.own().URL()).client(t)
	}
	a := &sampled{file: filepath.Join(home, "models.json")}
	t.Cleanup(func() { _ = os.Remove(a.file) })
	a.dialectScene = &dialectScene{dialectStage: s, t: t, talk: create(t, client, copilot.SessionConfig{
		Model: name, Streaming: new(true), ReasoningEffort: effort, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})}
	return a
}

// prompt writes the file, with an entry for every model of the provider and others, and sends a prompt. It returns the
// request that the fake has got, "" for none, and the error of the run, "" for none.
func (a *sampled) prompt(request string, more ...string) (body, failed string) {
	a.t.Helper()
	entries := append([]string{`{"provider": "` + a.sampling.provider + `", "id": "*", "request": {` + request + `}}`}, more...)
	if err := os.WriteFile(a.file, []byte(`{"models": [`+strings.Join(entries, ", ")+`]}`), 0o600); err != nil {
		a.t.Fatal(err)
	}
	before, errors := len(a.own().Requests()), len(all[*copilot.SessionErrorData](a.events()))
	a.prompts++
	a.send("Hello")
	await[*copilot.SessionIdleData](a.t, a.ear, a.prompts)
	if requests := a.own().Requests(); len(requests) > before {
		body = requests[len(requests)-1].Body
	}
	if found := all[*copilot.SessionErrorData](a.events()); len(found) > errors {
		failed = found[len(found)-1].Message
	}
	return body, failed
}

// samplingRows are those about what models.json sets for calls.
var samplingRows = []dialectRow{
	{"Sampling parameters that are sent; others are refused by name", func(t *testing.T, s *dialectStage) string {
		p := &s.sampling
		name := cmp.Or(p.model, s.model)
		a := s.openSampled(t, name, "")
		var sent []string
		for _, parameter := range parameters {
			want := p.sent[parameter.name]
			if want != "" {
				sent = append(sent, "`"+parameter.name+"`")
				s.own().Add(strict.Say("Hi."))
			}
			body, failed := a.prompt(`"` + parameter.name + `": ` + parameter.value)
			switch {
			case want != "" && (failed != "" || !strings.Contains(body, want)):
				t.Errorf("%s: the request lacks %s: %s%s", parameter.name, want, failed, shortened(body))
			case want == "" && (body != "" || !strings.Contains(failed, "models.json sets "+parameter.name+" for ") || !strings.Contains(failed, "has no such parameter at this provider")):
				t.Errorf("%s was not refused: %s%s", parameter.name, failed, shortened(body))
			}
		}
		// The entry of the model counts before that for every model.
		id := name[strings.Index(name, ":")+1:]
		s.own().Add(strict.Say("Hi."))
		if body, failed := a.prompt(`"temperature": 0.5`, `{"id": "`+id+`", "request": {"temperature": 0.25}}`); !strings.Contains(body, `"temperature":0.25`) {
			t.Errorf("the entry of the model has no effect: %s%s", failed, shortened(body))
		}
		if len(sent) == len(parameters) {
			return "all"
		}
		return strings.Join(sent, ", ")
	}},
	{"Further members of the body (`extraBody`)", func(t *testing.T, s *dialectStage) string {
		a := s.openSampled(t, cmp.Or(s.sampling.model, s.model), "")
		s.own().Add(strict.Say("Hi."))
		if body, failed := a.prompt(`"extraBody": {` + s.sampling.extra + `}`); !strings.Contains(body, s.sampling.extra) {
			t.Errorf("the request lacks %s: %s%s", s.sampling.extra, failed, shortened(body))
		}
		for _, member := range s.sampling.owned {
			if body, failed := a.prompt(`"extraBody": {"` + member + `": []}`); body != "" || !strings.Contains(failed, `models.json sets the member "`+member+`" in extraBody for `) {
				t.Errorf("%s was not refused: %s%s", member, failed, shortened(body))
			}
		}
		return yes
	}},
	{rowTemperature, func(t *testing.T, s *dialectStage) string {
		a := s.openSampled(t, s.model, s.effort())
		body, failed := a.prompt(`"temperature": 0.5`)
		if n := len(s.own().Requests()); n != 1 || !strings.Contains(body, `"temperature":0.5`) || !strings.Contains(failed, "models.json sets temperature for this model: remove it there") {
			t.Errorf("%d requests were made, and the error is %q", n, failed)
		}
		s.own().Reset() // it has refused a request, as it should
		return "named, with the place where it is set"
	}},
}
