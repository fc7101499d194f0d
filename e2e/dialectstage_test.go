package e2e_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
)

// column is a dialect in the table of docs/models.md, with the model that is called in it.
type column struct {
	title, model string
	vendor       strict.Vendor
	// lacks has the rows that its vendor does not have, with what the page says instead.
	lacks map[string]string
	// plain is that the model takes no effort.
	plain bool
	// sampling is for the rows of dialectsampling_test.go; [older] has none.
	sampling sampling
}

// effort is the one that the sessions of a column ask for.
func (c *column) effort() string {
	if c.plain {
		return ""
	}
	return "low"
}

// effortAt is the effort of a session that moves between two columns: one that both take.
func (c *column) effortAt(other column) string {
	if c.plain {
		return ""
	}
	return other.effort()
}

// others are the columns of the table that are not this one.
func (c *column) others() (all []column) {
	for _, o := range columns {
		if o.title != c.title {
			all = append(all, o)
		}
	}
	return all
}

const (
	openAIChat = "Chat completions (OpenAI)"
	deepSeek   = "Chat completions (DeepSeek)"
)

var columns = []column{
	{title: openAIChat, model: "gpt-5.1", vendor: strict.Chat, lacks: map[string]string{rowReasoning: "not shown by the vendor"}, sampling: openAISampling},
	{title: deepSeek, model: "deepseek-v4-pro", vendor: strict.Chat, lacks: map[string]string{
		rowImage: "not read by the model", rowPDF: "not read by the model", rowTemperature: "ignored by the vendor while the model thinks",
	}, sampling: deepSeekSampling},
	{title: "Responses", model: "azure:gpt-6.2-sol", vendor: strict.Responses, sampling: responsesSampling},
	{title: "Anthropic Messages", model: "anthropic:claude-opus-5-5", vendor: strict.Anthropic, sampling: anthropicSampling},
	{title: "Gemini", model: "gemini:gemini-3.8-flash", vendor: strict.Gemini, lacks: map[string]string{rowTemperature: "every model takes it"}, sampling: geminiSampling},
	{title: "Bedrock Converse", model: "bedrock:us.anthropic.claude-opus-5-5", vendor: strict.Bedrock, sampling: bedrockSampling},
	{title: "Ollama", model: "ollama:qwen3.5", vendor: strict.Ollama, lacks: map[string]string{
		rowCredit: "not of a local server", rowPolicy: "not of a local server", rowFiltered: "not of a local server", rowTemperature: "every model takes it",
	}, sampling: ollamaSampling},
}

// older are models with other parameters than those of the table.
var older = []column{
	{title: "gpt-4.1", model: "gpt-4.1", vendor: strict.Chat, lacks: map[string]string{rowReasoning: "-"}, plain: true},
	{title: "gpt-4.1 at Responses", model: "azure:gpt-4.1", vendor: strict.Responses, lacks: map[string]string{rowReasoning: "-"}, plain: true},
	{title: "gpt-5.6-sol", model: "azure:gpt-5.6-sol", vendor: strict.Responses},
	{title: "claude-sonnet-4-5", model: "anthropic:claude-sonnet-4-5", vendor: strict.Anthropic},
	{title: "claude-opus-4-7", model: "anthropic:claude-opus-4-7", vendor: strict.Anthropic},
	{title: "gemini-2.5-flash", model: "gemini:gemini-2.5-flash", vendor: strict.Gemini, lacks: map[string]string{rowReasoning: "-"}},
}

// dialectStage is a runtime with a strict fake of every vendor. It can be restarted. It is for one
// column; its sessions begin with the model of that.
type dialectStage struct {
	t *testing.T
	column
	fakes   map[strict.Vendor]*strict.Server
	home    string
	runtime *process
	client  *copilot.Client
}

func newDialectStage(t *testing.T, c column) *dialectStage {
	t.Helper()
	s := &dialectStage{t: t, column: c, fakes: map[strict.Vendor]*strict.Server{}, home: t.TempDir()}
	for _, v := range strict.Vendors() {
		s.fakes[v] = strict.New(v)
		t.Cleanup(s.fakes[v].Close)
	}
	s.restart()
	return s
}

// restart kills the runtime, if one runs, and starts another one.
func (s *dialectStage) restart() {
	s.t.Helper()
	if s.runtime != nil {
		s.client.ForceStop()
		s.runtime.kill()
	}
	s.runtime = serve(s.t, s.home,
		"OPENAI_BASE_URL="+s.fakes[strict.Chat].URL()+"/v1", "OPENAI_API_KEY="+strict.Key,
		"AZURE_OPENAI_ENDPOINT="+s.fakes[strict.Responses].URL(), "AZURE_OPENAI_API_KEY="+strict.Key,
		"ANTHROPIC_BASE_URL="+s.fakes[strict.Anthropic].URL(), "ANTHROPIC_API_KEY="+strict.Key,
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME="+s.fakes[strict.Bedrock].URL(), "AWS_REGION=us-east-1", "AWS_BEARER_TOKEN_BEDROCK="+strict.Key,
		"OLLAMA_HOST="+s.fakes[strict.Ollama].URL(), "OLLAMA_API_KEY="+strict.Key,
		"GOOGLE_GEMINI_BASE_URL="+s.fakes[strict.Gemini].URL(), "GEMINI_API_KEY="+strict.Key,
	)
	s.client = s.runtime.client(s.t)
}

// own is the fake of the column.
func (s *dialectStage) own() *strict.Server { return s.fakes[s.vendor] }

// last is the last request that a fake has got.
func last(t *testing.T, f *strict.Server) string {
	t.Helper()
	requests := f.Requests()
	if len(requests) == 0 {
		t.Fatal("the model was not asked")
	}
	return requests[len(requests)-1].Body
}

// scene is one session of a stage, and the test that it is for.
type dialectScene struct {
	*dialectStage
	*talk
	t     *testing.T
	calls *callLog
}

// open begins a session with a script for the fake of the column. configure may change it.
func (s *dialectStage) open(t *testing.T, configure func(*copilot.SessionConfig), script ...strict.Reply) *dialectScene {
	t.Helper()
	s.own().Add(script...)
	calls := &callLog{}
	config := copilot.SessionConfig{
		Model: s.model, Streaming: new(true), ReasoningEffort: s.effort(), Tools: calls.tools(), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	}
	if configure != nil {
		configure(&config)
	}
	return &dialectScene{dialectStage: s, talk: create(t, s.client, config), t: t, calls: calls}
}

// again restarts the runtime and goes on with the session at the model of another column.
func (s *dialectScene) again(at column) {
	s.t.Helper()
	s.restart()
	s.talk = resume(s.t, s.client, s.SessionID, copilot.ResumeSessionConfig{
		Model: at.model, Streaming: new(true), ReasoningEffort: s.effortAt(at), Tools: s.calls.tools(), OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
	})
}

// answers sends a prompt and checks the answer.
func (s *dialectScene) answers(prompt, want string) {
	s.t.Helper()
	s.talk.t = s.t
	if got := s.ask(prompt); got != want {
		s.t.Errorf("the answer is %q, want %q", got, want)
	}
}

// settle checks that no fake has refused a request, and that all of their scripts are used up. It
// makes them ready for the next row.
func (s *dialectStage) settle(t *testing.T) {
	t.Helper()
	for _, v := range strict.Vendors() {
		f := s.fakes[v]
		if refused := f.Refused(); len(refused) > 0 {
			t.Errorf("%s refused: %s\nthe last request: %s", v, strings.Join(refused, "\n"), shortened(last(t, f)))
		}
		if n := f.Left(); n > 0 {
			t.Errorf("%s has %d replies left", v, n)
		}
		f.Reset()
	}
}

// shortened leaves out the middle of a long request, which has the descriptions of tools.
func shortened(body string) string {
	if os.Getenv("SIDESTICK_WHOLE_REQUESTS") == "" && len(body) > 3000 {
		return body[:1000] + " … " + body[len(body)-2000:]
	}
	return body
}

// returnedAll checks that a fake got all pieces back that it has signed.
func returnedAll(t *testing.T, f *strict.Server) {
	t.Helper()
	body := last(t, f)
	given := f.Given()
	if len(given) == 0 {
		t.Error("nothing was signed")
	}
	missing := slices.DeleteFunc(given, func(g string) bool { return strings.Contains(body, g) })
	if len(missing) > 0 {
		t.Errorf("%d of %d signed pieces did not come back in %s", len(missing), len(given), shortened(body))
	}
}
