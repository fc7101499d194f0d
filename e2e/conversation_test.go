package e2e_test

import (
	"errors"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

func TestAnAnswerStreamsOnlyIfAsked(t *testing.T) {
	c := spawned(t)
	for _, tc := range []struct {
		name      string
		streaming *bool
		deltas    bool
	}{
		{"streaming", copilot.Bool(true), true},
		{"not streaming", copilot.Bool(false), false},
		{"nothing said", nil, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			const text = "Once upon a time there was a wire."
			model := script(t, modeltest.Reply{Text: text, Piece: 5})
			s := create(t, c, copilot.SessionConfig{Provider: at(model), Streaming: tc.streaming})
			s.ask("Tell me a story.")
			var streamed strings.Builder
			for _, d := range all[*copilot.AssistantMessageDeltaData](s.events()) {
				streamed.WriteString(d.DeltaContent)
			}
			if want := text; tc.deltas && streamed.String() != want {
				t.Errorf("the pieces make %q, want %q", streamed.String(), want)
			}
			if !tc.deltas && streamed.Len() > 0 {
				t.Errorf("pieces came: %q", streamed.String())
			}
		})
	}
}

func TestToolsOfTheApplication(t *testing.T) {
	type place struct {
		City string `json:"city" jsonschema:"the city's name"`
	}
	type weather struct {
		Sky  string `json:"sky"`
		High int    `json:"high"`
	}
	tools := []copilot.Tool{
		copilot.DefineTool("weather", "The weather in a city.", func(p place, _ copilot.ToolInvocation) (weather, error) {
			return weather{"clear in " + p.City, 21}, nil
		}),
		copilot.DefineTool("shout", "Says it louder.", func(p struct {
			Text string `json:"text"`
		}, _ copilot.ToolInvocation,
		) (string, error) {
			return strings.ToUpper(p.Text), nil
		}),
		copilot.DefineTool("break", "Fails.", func(struct{}, copilot.ToolInvocation) (string, error) {
			return "", errors.New("the secret reason")
		}),
	}
	for i := range tools {
		tools[i].SkipPermission = true
	}
	c := spawned(t)
	for _, tc := range []struct {
		name, tool, arguments string
		reads                 string // what the model reads of it
	}{
		{"a result that is an object", "weather", `{"city":"Oslo"}`, `{"sky":"clear in Oslo","high":21}`},
		{"a result that is text", "shout", `{"text":"hey"}`, "HEY"},
		{"a handler that fails", "break", `{}`, "Failed to execute `break` tool with arguments: {} due to error: Error: Tool execution failed"},
		{"arguments that do not fit", "weather", `{"city":5}`, "Tool 'weather' was not run: the arguments do not fit the tool's schema"},
		{"a tool that is not there", "wether", `{}`, "Tool 'wether' does not exist. Available tools that can be called are "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			model := script(t, call(tc.tool, tc.arguments), say("I see."))
			s := create(t, c, copilot.SessionConfig{Provider: at(model), Tools: tools})
			if got := s.ask("Go on."); got != "I see." {
				t.Errorf("the answer is %q", got)
			}
			if read := lastRequest(t, model).Last(); read.Role != "tool" || !strings.HasPrefix(read.Content, tc.reads) {
				t.Errorf("the model read %q, want %q", read.Content, tc.reads)
			}
		})
	}
}

func TestTwoToolsOfOneMessageRunSideBySide(t *testing.T) {
	model := script(t,
		modeltest.Reply{ToolCalls: []modeltest.ToolCall{{Name: "ping", Arguments: "{}"}, {Name: "pong", Arguments: "{}"}}},
		say("Both."))
	ball := make(chan string) // each waits for the other
	tool := func(name string, play func() string) copilot.Tool {
		d := copilot.DefineTool(name, "Plays.", func(struct{}, copilot.ToolInvocation) (string, error) { return play(), nil })
		d.SkipPermission = true
		return d
	}
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(model), Tools: []copilot.Tool{
		tool("ping", func() string { ball <- "from ping"; return "thrown" }),
		tool("pong", func() string { return "caught " + <-ball }),
	}})
	if got := s.ask("Play."); got != "Both." {
		t.Errorf("the answer is %q", got)
	}
	want := "user: Play.\nassistant: [ping {}][pong {}]\ntool: thrown\ntool: caught from ping\n"
	if diff := cmp.Diff(want, conversation(lastRequest(t, model))); diff != "" {
		t.Errorf("the model read (-want +got):\n%s", diff)
	}
}

func TestPermissions(t *testing.T) {
	c := spawned(t)
	for _, tc := range []struct {
		name     string
		decision rpc.PermissionDecision
		runs     bool
		answer   string // "" if the run ends without one
	}{
		{"approved", &rpc.PermissionDecisionApproveOnce{}, true, "Done."},
		{"rejected", &rpc.PermissionDecisionReject{}, false, ""},
		{"nobody is there", &rpc.PermissionDecisionUserNotAvailable{}, false, "Done."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			model := script(t, call("deploy", `{"to":"live"}`), say("Done."))
			ran := false
			deploy := copilot.DefineTool("deploy", "Deploys.", func(struct {
				To string `json:"to"`
			}, copilot.ToolInvocation,
			) (string, error) {
				ran = true
				return "deployed", nil
			})
			var asked *rpc.PermissionRequestCustomTool
			s := create(t, c, copilot.SessionConfig{
				Provider: at(model), Tools: []copilot.Tool{deploy},
				OnPermissionRequest: func(r copilot.PermissionRequest, _ copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
					asked, _ = r.(*rpc.PermissionRequestCustomTool)
					return tc.decision, nil
				},
			})
			s.ask("Deploy it.")
			if asked == nil || asked.ToolName != "deploy" || asked.ToolDescription != "Deploys." {
				t.Errorf("asked for %+v, want the tool", asked)
			}
			if ran != tc.runs {
				t.Errorf("the tool ran: %v, want %v", ran, tc.runs)
			}
			answer := ""
			for _, m := range all[*copilot.AssistantMessageData](s.events()) {
				answer = m.Content
			}
			if answer != tc.answer {
				t.Errorf("the last answer is %q, want %q", answer, tc.answer)
			}
		})
	}
}

func TestAbortEndsAnAnswerInTheMiddle(t *testing.T) {
	model := script(t, modeltest.Reply{Text: "A story without end", Piece: 4, StallAfter: 3}, say("Yes?"))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(model), Streaming: copilot.Bool(true)})
	s.send("Tell me a story.")
	for n, heard := 1, ""; heard != "A story with"; n++ { // all that comes
		heard += await[*copilot.AssistantMessageDeltaData](t, s.ear, n).DeltaContent
	}
	for range 2 { // once more does no harm
		if err := s.Abort(soon(t)); err != nil {
			t.Fatalf("Abort: %v", err)
		}
	}
	idle := await[*copilot.SessionIdleData](t, s.ear, 1)
	if idle.Aborted == nil || !*idle.Aborted {
		t.Errorf("the idle says aborted: %v", idle.Aborted)
	}
	if got := s.ask("Are you there?"); got != "Yes?" {
		t.Errorf("the next answer is %q", got)
	}
	// The model knows what it has said, and the reminder before the message says that it was cut off.
	if got, want := conversation(lastRequest(t, model)), "user: Tell me a story.\nassistant: A story with\nuser: Are you there?\n"; got != want {
		t.Errorf("the model read:\n%swant:\n%s", got, want)
	}
}

func TestAModelThatFailsIsAnErrorAndNoHang(t *testing.T) {
	model := script(t, modeltest.Failure(401, "invalid_api_key", "Incorrect API key provided."), say("Now it works."))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(model)})
	_, err := s.SendPromptAndWait(soon(t), "Hello?")
	if err == nil || !strings.Contains(err.Error(), "Incorrect API key provided.") {
		t.Errorf("SendAndWait = %v, want what the provider said", err)
	}
	await[*copilot.SessionIdleData](t, s.ear, 1)
	if failed := await[*copilot.SessionErrorData](t, s.ear, 1); failed.ErrorType != "authentication" || failed.StatusCode == nil || *failed.StatusCode != 401 {
		t.Errorf("the error is %+v, want an authentication error with its status", failed)
	}
	if got := s.ask("And now?"); got != "Now it works." {
		t.Errorf("the next answer is %q", got)
	}
}

func TestTheModelCanBeSwitched(t *testing.T) {
	model := script(t, say("One."), say("Two."))
	s := create(t, spawned(t), copilot.SessionConfig{Provider: at(model), Model: "m1"})
	s.ask("Which model?")
	effort := "low"
	if err := s.SetModel(soon(t), "m2", &copilot.SetModelOptions{ReasoningEffort: &effort}); err != nil {
		t.Fatalf("SetModel: %v", err)
	}
	change := await[*copilot.SessionModelChangeData](t, s.ear, 1)
	if change.NewModel != "m2" || change.PreviousModel == nil || *change.PreviousModel != "m1" {
		t.Errorf("the change is %+v, want from m1 to m2", change)
	}
	s.ask("And now?")
	starts := all[*copilot.AssistantTurnStartData](s.events())
	if got := *starts[0].Model + " " + *starts[1].Model; got != "m1 m2" {
		t.Errorf("the turns used %s, want m1 m2", got)
	}
	if r := lastRequest(t, model); r.ReasoningEffort != "low" {
		t.Errorf("the model was asked for effort %q, want low", r.ReasoningEffort)
	}
}

func TestRemarksOfTheApplication(t *testing.T) {
	s := create(t, spawned(t), copilot.SessionConfig{})
	for _, o := range []*copilot.LogOptions{
		nil, {Level: rpc.SessionLogLevelWarning}, {Level: rpc.SessionLogLevelError}, {Ephemeral: copilot.Bool(true)},
	} {
		if err := s.Log(soon(t), "a remark", o); err != nil {
			t.Errorf("Log(%+v): %v", o, err)
		}
	}
	if info := await[*copilot.SessionInfoData](t, s.ear, 2); info.Message != "a remark" || info.InfoType != "notification" {
		t.Errorf("info %+v", info)
	}
	if w := await[*copilot.SessionWarningData](t, s.ear, 1); w.Message != "a remark" {
		t.Errorf("warning %+v", w)
	}
	if e := await[*copilot.SessionErrorData](t, s.ear, 1); e.Message != "a remark" {
		t.Errorf("error %+v", e)
	}
	want := "session.start\nsession.info\nsession.warning\nsession.error\n"
	if diff := cmp.Diff(want, types(s.history())); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}
