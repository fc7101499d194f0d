package extensions_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/extension"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/extensions"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// An agent is the one model of its endpoint; nobody is asked.
func TestModelsOfAnAgent(t *testing.T) {
	c := model.New(model.Options{}, extensions.New(nil))
	defer c.Close()
	infos, err := c.Models(t.Context(), model.Endpoint{BaseURL: "https://agent.test/parrot/"})
	if err != nil || len(infos) != 1 || infos[0].ID != "extension:https://agent.test/parrot/" || infos[0].Name != "the agent at agent.test/parrot" {
		t.Errorf("Models = %+v, %v", infos, err)
	}
	if address, ok := extensions.Address(infos[0].ID); !ok || address != "https://agent.test/parrot/" {
		t.Errorf("Address = %q, %v", address, ok)
	}
}

func TestAnAgentIsNotCalledWithoutAKey(t *testing.T) {
	broken := errors.New("the key is damaged")
	c := model.New(model.Options{}, extensions.New(func(context.Context) (*extension.Signer, error) { return nil, broken }))
	defer c.Close()
	_, err := c.Stream(t.Context(), model.Endpoint{BaseURL: "http://127.0.0.1:1/"}, model.Request{
		Model: "x", Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}},
	}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("Stream = %v, want that %v", err, broken)
	}
}

// Errors show where an agent is, and nothing that may be a secret.
func TestAnAgentsAddressInErrors(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	defer s.Close()
	c := model.New(model.Options{}, extensions.New(nil))
	defer c.Close()
	_, err := c.Stream(t.Context(), model.Endpoint{BaseURL: s.URL + "/a?key=s3cret", BearerToken: "ghu_secret"}, model.Request{
		Model: "x", Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}},
	}, nil)
	var e *model.Error
	if fault.KindOf(err) != fault.NotFound || !errors.As(err, &e) || e.Status != 404 || strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "ghu_") {
		t.Errorf("Stream = %v", err)
	}
}

// A conversation without an open question is not sent: one that ends with an answer, or
// with a confirmation that was neither accepted nor dismissed.
func TestAnAgentIsAskedSomething(t *testing.T) {
	called := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer s.Close()
	c := model.New(model.Options{}, extensions.New(nil))
	defer c.Close()
	asked := model.Message{Role: model.RoleAssistant, ToolCalls: []model.ToolCall{{ID: "c", Name: extensions.ConfirmationTool, Arguments: `{"title":"T"}`}}}
	for _, messages := range [][]model.Message{
		nil,
		{{Role: model.RoleUser, Content: "hi"}, {Role: model.RoleAssistant, Content: "hello"}},
		{{Role: model.RoleUser, Content: "hi"}, asked, {Role: model.RoleTool, ToolCallID: "c", Content: "void: the person said something else"}},
		{{Role: model.RoleUser, Content: "hi"}, asked, {Role: model.RoleTool, ToolCallID: "other", Content: extensions.Accepted}},
	} {
		_, err := c.Stream(t.Context(), model.Endpoint{BaseURL: s.URL}, model.Request{Model: "x", Messages: messages}, nil)
		if fault.KindOf(err) != fault.Invalid || err == nil || called {
			t.Errorf("Stream(%v) = %v, called %v", messages, err, called)
		}
	}
}

// An agent gets each decision once as a decision. In the history it is a text, so that no
// model behind the agent gets two answers in a row. A decision that the agent never answered
// is not there, because the agent may not have got it.
func TestDecisionsInTheHistory(t *testing.T) {
	asking := func(id, title, text string) model.Message {
		return model.Message{Role: model.RoleAssistant, Content: text, ToolCalls: []model.ToolCall{{ID: id, Name: extensions.ConfirmationTool, Arguments: `{"title":"` + title + `","confirmation":"{\"id\":1}"}`}}}
	}
	decided := func(id, text string) model.Message {
		return model.Message{Role: model.RoleTool, ToolCallID: id, Content: text}
	}
	said := func(role model.Role, text string) model.Message { return model.Message{Role: role, Content: text} }
	got := askAgent(t, "#tide", []model.Message{
		said(model.RoleUser, "off"), asking("1", "Turn off", "Sure?"), decided("1", extensions.Accepted), said(model.RoleAssistant, "Done."),
		said(model.RoleUser, "on"), asking("2", "Turn on", "Really?"), decided("2", "void: the user went on"),
		said(model.RoleUser, "lost"), asking("3", "Lose", "Sure?"), decided("3", extensions.Accepted),
		said(model.RoleUser, "again"), asking("4", "Again", "And now?"), decided("4", extensions.Dismissed+": nobody"),
	})
	words := []string{}
	for _, m := range got.Messages {
		words = append(words, m.Role+" "+m.Content)
	}
	want := "user off|assistant Sure?|user Accepted: Turn off|assistant Done.|user on|assistant Really?|user lost|assistant Sure?|user again|assistant And now?|user "
	if all := strings.Join(words, "|"); all != want {
		t.Errorf("the agent got %s, want %s", all, want)
	}
	if d := got.Decision(); d == nil || d.Accepted || string(d.Data) != `{"id":1}` || got.Agent != "tide" {
		t.Errorf("the decision is %+v, the agent is called %q", d, got.Agent)
	}
}

// askAgent sends a conversation to an agent that answers "ok", at an address that ends like
// this, and returns the request.
func askAgent(t *testing.T, end string, messages []model.Message) (got *extension.Request) {
	t.Helper()
	s := httptest.NewServer(extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		got = r
		return w.Text("ok")
	}, extension.HandlerOptions{Unsigned: true, Slug: strings.TrimPrefix(end, "#")}))
	defer s.Close()
	c := model.New(model.Options{}, extensions.New(nil))
	defer c.Close()
	if _, err := c.Stream(t.Context(), model.Endpoint{Dialect: extensions.Name, BaseURL: s.URL + end}, model.Request{Model: "x", Messages: messages}, nil); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAddressesWithSlugs(t *testing.T) {
	for _, tc := range [][3]string{
		{"https://agent.test/p?q=1", "tide", "https://agent.test/p?q=1#tide"},
		{"https://agent.test#old", "new one", "https://agent.test#new%20one"},
		{"https://agent.test#old", "", "https://agent.test#old"},
		{"https://agent.test", "", "https://agent.test"},
	} {
		if got := extensions.WithSlug(tc[0], tc[1]); got != tc[2] {
			t.Errorf("WithSlug(%q, %q) = %q, want %q", tc[0], tc[1], got, tc[2])
		}
	}
}

// An answer of errors alone is no answer: the call fails with what they say. Errors beside
// something else are parts of the answer.
func TestAnAnswerOfErrorsAlone(t *testing.T) {
	failure := extension.Fault{Type: extension.FaultFunction, Code: "gone", Message: "It is gone.", Identifier: "9"}
	text := ""
	s := httptest.NewServer(extension.NewHandler(func(_ context.Context, r *extension.Request, w *extension.Writer) error {
		return errors.Join(w.Text(text), w.Errors(failure), w.Errors(failure))
	}, extension.HandlerOptions{Unsigned: true}))
	defer s.Close()
	c := model.New(model.Options{}, extensions.New(nil))
	defer c.Close()
	ask := func() (*model.Response, error) {
		return c.Stream(t.Context(), model.Endpoint{Dialect: extensions.Name, BaseURL: s.URL}, model.Request{Model: "x", Messages: []model.Message{{Role: model.RoleUser, Content: "hi"}}}, nil)
	}
	_, err := ask()
	if want := "It is gone. (function gone 9); It is gone. (function gone 9)"; fault.KindOf(err) != fault.Unavailable || !strings.Contains(err.Error(), want) {
		t.Errorf("Stream = %v, want %q", err, want)
	}
	text = "Partly."
	if resp, err := ask(); err != nil || resp.Text != text || len(resp.Extension.Faults) != 2 {
		t.Errorf("Stream = %+v, %v", resp, err)
	}
}

// All data that an agent attaches to a confirmation is sent back to it byte for byte,
// through the arguments of a call and an event of the log.
func FuzzConfirmationData(f *testing.F) {
	for _, seed := range []string{
		`{"id": 1}`, `null`, `"x"`, `12345678901234567890.10`, `{"a":"\u00e9\ud83d\ude00","b":"<&>"}`, `["\ud800", 1E400 , -0]`, "{\n\t\"z\":1,\r\n \"a\":\"\u2028\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		if !utf8.ValidString(data) || !json.Valid([]byte(data)) {
			return // no agent sends it
		}
		args, err := json.Marshal(extensions.Confirmation{Title: "T", Message: "M", Data: &data})
		if err != nil {
			t.Fatal(err)
		}
		logged, err := wire.Marshal(&wire.ToolStart{Arguments: json.RawMessage(wire.RepairSurrogates(args))})
		if err != nil {
			t.Fatal(err)
		}
		var of extensions.Confirmation
		if err := json.Unmarshal(wire.Raw(logged).Get("arguments"), &of); err != nil || of.Data == nil || *of.Data != data {
			t.Errorf("%q came back as %v, %v", data, of.Data, err)
		}
	})
}
