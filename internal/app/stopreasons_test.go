package app_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app"
	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/anthropic"
	"github.com/sidestick-dev/sidestick/internal/model/bedrock"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/gemini"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/model/responses"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest/strict"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// speaker is a dialect, with a fake of its vendor and all the words with which its answers end.
type speaker struct {
	vendor strict.Vendor
	model  string
	words  model.Finishes
	env    func(url string) map[string]string
}

func speakers() []speaker {
	return []speaker{
		{strict.Chat, "gpt-5.1", chat.Finishes(), func(url string) map[string]string {
			return map[string]string{"OPENAI_BASE_URL": url + "/v1", "OPENAI_API_KEY": strict.Key}
		}},
		{strict.Responses, "azure:gpt-6.2-sol", responses.Finishes(), func(url string) map[string]string {
			return map[string]string{"AZURE_OPENAI_ENDPOINT": url, "AZURE_OPENAI_API_KEY": strict.Key}
		}},
		{strict.Anthropic, "anthropic:claude-opus-5-5", anthropic.Finishes(), func(url string) map[string]string {
			return map[string]string{"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": strict.Key}
		}},
		{strict.Gemini, "gemini:gemini-3.8-flash", gemini.Finishes(), func(url string) map[string]string {
			return map[string]string{"GOOGLE_GEMINI_BASE_URL": url, "GEMINI_API_KEY": strict.Key}
		}},
		{strict.Bedrock, "bedrock:us.anthropic.claude-opus-5-5", bedrock.Finishes(), func(url string) map[string]string {
			return map[string]string{"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": url, "AWS_REGION": "us-east-1", "AWS_BEARER_TOKEN_BEDROCK": strict.Key}
		}},
		{strict.Ollama, "ollama:qwen3.5", ollama.Finishes(), func(url string) map[string]string {
			return map[string]string{"OLLAMA_HOST": url, "OLLAMA_API_KEY": strict.Key}
		}},
	}
}

// caller runs the program against the fake of one dialect.
type caller struct {
	speaker
	fake *strict.Server
	env  map[string]string
}

func newCaller(t *testing.T, s speaker) *caller {
	c := &caller{speaker: s, fake: strict.New(s.vendor), env: map[string]string{
		"SIDESTICK_HOME": t.TempDir(), "XDG_CONFIG_HOME": t.TempDir(), "SIDESTICK_KEYRING": "off", "SIDESTICK_LOCAL_SERVERS": "off",
		"SIDESTICK_SANDBOX": "off", // no command runs, and to try whether one works takes a tenth of a second each time
	}}
	t.Cleanup(c.fake.Close)
	maps.Copy(c.env, s.env(c.fake.URL()))
	return c
}

// run is `sidestick run` in a format, with a reply for each request.
func (c *caller) run(t *testing.T, format string, reply strict.Reply) (code int, out, errs string) {
	t.Helper()
	c.fake.Reset(slices.Repeat([]strict.Reply{reply}, 20)...)
	var stdout, stderr bytes.Buffer
	code = app.Main(t.Context(), []string{"run", "-m", c.model, "--output-format", format, "Tell me a story."}, cli.System{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Getenv: func(name string) string { return c.env[name] }, FS: vfs.NewMem(),
	})
	if refused := c.fake.Refused(); len(refused) > 0 {
		t.Errorf("the fake refused: %s", strings.Join(refused, "\n"))
	}
	for _, r := range c.fake.Requests() {
		if !r.Stream { // also at the address of no vendor, as docs/models.md says
			t.Errorf("the provider was asked for a whole answer: %s", r.Path)
		}
	}
	return code, stdout.String(), stderr.String()
}

// ofText is how an answer that has text and no calls ends, by what the word of its vendor means.
func ofText(f model.Finish) model.Finish {
	switch f {
	case model.FinishToolCalls: // there are none
		return model.FinishMalformed
	case model.FinishEmpty: // it is not
		return model.FinishUnknown
	}
	return f
}

// Each word with which a vendor ends an answer has the same end in all dialects: in the text of `run`, in
// JSON, in the events of the SDKs and in the exit code. Only a complete answer is a success, and a
// word that no table has is none.
func TestEachStopReasonOfEachDialect(t *testing.T) {
	t.Chdir(t.TempDir()) // in a repository, each run asks git
	for _, s := range speakers() {
		t.Run(string(s.vendor), func(t *testing.T) {
			c := newCaller(t, s)
			words := slices.Sorted(maps.Keys(s.words))
			for _, word := range append(words, "a_word_of_tomorrow") {
				t.Run(word, func(t *testing.T) {
					reply, finish := strict.Reply{Parts: strict.Say("Once upon").Parts, Word: word}, ofText(s.words.Of(word))
					c.inJSON(t, finish, "Once upon", reply)
					c.inTextAndEvents(t, finish, reply)
					if finish.Blocked() {
						c.inJSON(t, finish, "", strict.Reply{Word: word})
					}
				})
			}
		})
	}
}

// codeOf is the exit code of a run whose answer ends so.
func codeOf(f model.Finish) int {
	if f.Complete() {
		return 0
	}
	return cli.ExitIncomplete
}

// inJSON checks the result that a script reads.
func (c *caller) inJSON(t *testing.T, finish model.Finish, text string, reply strict.Reply) {
	t.Helper()
	code, out, errs := c.run(t, "json", reply)
	var result struct {
		Subtype, Outcome, Result string
		IsError                  bool   `json:"is_error"`
		Code                     int    `json:"exit_code"`
		Finish                   string `json:"finish_reason"`
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, errs)
	}
	want, subtype, outcome := codeOf(finish), "success", "done"
	if !finish.Complete() {
		subtype, outcome = "error", "incomplete"
	}
	if code != want || result.Code != want || result.Finish != string(finish) || result.IsError == finish.Complete() {
		t.Errorf("exit code %d, want %d and finish_reason %q: %s", code, want, finish, out)
	}
	if result.Outcome != outcome || result.Subtype != subtype || !strings.HasPrefix(result.Result, text) {
		t.Errorf("want the outcome %s and the text %q: %s", outcome, text, out)
	}
}

// inTextAndEvents checks what a user at the prompt and a program on an SDK see.
func (c *caller) inTextAndEvents(t *testing.T, finish model.Finish, reply strict.Reply) {
	t.Helper()
	want := codeOf(finish)
	code, out, errs := c.run(t, "text", reply)
	if code != want || !strings.Contains(out, "Once upon") || strings.Contains(errs, "warning:") == finish.Complete() {
		t.Errorf("text: exit code %d, want %d\n%s\n%s", code, want, out, errs)
	}
	code, out, errs = c.run(t, "events", reply)
	said, warned := endsIn(t, out)
	if finish.Complete() {
		finish = ""
	}
	if code != want || said != finish || warned != finish {
		t.Errorf("events: exit code %d, the message ends with %q and the warning with %q, want %d and %q\n%s%s", code, said, warned, want, finish, out, errs)
	}
}

// endsIn returns what the last message and the last warning say about the end of the answer.
func endsIn(t *testing.T, lines string) (message, warning model.Finish) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var e struct {
			Type string
			Data struct {
				Finish  model.Finish `json:"finishReason"`
				Warning string       `json:"warningType"`
			}
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch {
		case e.Type == "assistant.message":
			message = e.Data.Finish
		case e.Type == "session.warning" && e.Data.Warning == "incomplete_answer":
			warning = e.Data.Finish
		}
	}
	return message, warning
}
