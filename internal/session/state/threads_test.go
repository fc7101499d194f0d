package state

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/eventlog"
)

// read is the text of a thread's messages, one a line.
func read(messages []Message) string {
	var b strings.Builder
	for _, m := range Transcript("", messages) {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

// records are the records of a log given as its lines.
func records(log []string) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for i, line := range log {
			if !yield(eventlog.Record{Pos: uint64(i + 1), JSON: []byte(line)}, nil) {
				return
			}
		}
	}
}

// A log in which two sub-agents work beside the main agent, the second inside the first.
var agentLog = []string{
	`{"type":"user.message","id":"1","data":{"content":"Find it."}}`,
	`{"type":"assistant.turn_start","id":"2","data":{"turnId":"0"}}`,
	`{"type":"assistant.message","id":"3","data":{"content":"","toolRequests":[{"toolCallId":"t1","name":"task","arguments":{}}]}}`,
	`{"type":"subagent.started","id":"4","agentId":"a1","data":{"toolCallId":"t1","agentName":"explore"}}`,
	`{"type":"user.message","id":"5","agentId":"a1","data":{"content":"Look for it."}}`,
	`{"type":"assistant.turn_start","id":"6","agentId":"a1","data":{"turnId":"0"}}`,
	`{"type":"assistant.message","id":"7","agentId":"a1","data":{"content":"I look.","toolRequests":[{"toolCallId":"c1","name":"grep","arguments":{}}]}}`,
	`{"type":"permission.requested","id":"8","agentId":"a1","data":{"requestId":"r1","permissionRequest":{"kind":"read","toolCallId":"c1"}}}`,
	`{"type":"user.message","id":"9","agentId":"a2","data":{"content":"Help."}}`,
	`{"type":"tool.execution_complete","id":"10","agentId":"a2","data":{"toolCallId":"c1","success":true,"result":{"content":"not yours"}}}`,
}

func TestEachThreadHasItsOwnConversation(t *testing.T) {
	s := fold(t, agentLog...)
	const interrupted = "tool: The execution of this tool, or a previous tool was interrupted.\n"
	for agent, want := range map[string]string{
		"":   "user: Find it.\nassistant: \n" + interrupted,
		"a1": "user: Look for it.\nassistant: I look.\n" + interrupted,
		"a2": "user: Help.\n",
	} {
		if diff := cmp.Diff(want, read(s.Thread(agent).Messages)); diff != "" {
			t.Errorf("the thread %q (-want +got):\n%s", agent, diff)
		}
	}
	if s.Turns != 1 || s.Main.OpenTurn != "0" || s.Thread("a1").OpenTurn != "0" || s.Title != "Find it." {
		t.Errorf("turns %d, open turns %q and %q, title %q", s.Turns, s.Main.OpenTurn, s.Thread("a1").OpenTurn, s.Title)
	}
	if asked := s.Permissions()["r1"]; asked.AgentID != "a1" || asked.ToolCallID != "c1" {
		t.Errorf("the permission request is %+v, want one of a1 about c1", asked)
	}
	if s.Thread("nobody") != nil {
		t.Error("there is a thread without events")
	}
}

// A sub-agent that has ended takes no memory, and its thread can be read from the log.
func TestAFinishedThreadIsReadFromTheLog(t *testing.T) {
	log := append(append([]string{}, agentLog...),
		`{"type":"tool.execution_complete","id":"11","agentId":"a1","data":{"toolCallId":"c1","success":true,"result":{"content":"found"}}}`,
		`{"type":"assistant.turn_end","id":"12","agentId":"a1","data":{"turnId":"0"}}`,
		`{"type":"subagent.completed","id":"13","agentId":"a1","data":{"toolCallId":"t1","agentName":"explore"}}`)
	s := fold(t, log...)
	th := s.Thread("a1")
	if !th.Finished || th.Held != 0 || len(th.Messages) != 0 || th.Len() != 2 || len(th.Permissions) != 0 {
		t.Errorf("the finished thread is %+v", th)
	}
	all, err := th.All(s.Cuts(), records(log))
	if err != nil || read(all) != "user: Look for it.\nassistant: I look.\ntool: found\n" {
		t.Errorf("the log holds of it, %v:\n%s", err, read(all))
	}
}

// Removed history leaves every thread; settings stay as they are.
func TestARewindKeepsSettingsAndDropsThreads(t *testing.T) {
	log := append(append([]string{}, agentLog[:2]...),
		`{"type":"assistant.turn_end","id":"3","data":{"turnId":"0"}}`,
		`{"type":"system.message","id":"4","data":{"content":"Be brief."}}`,
		`{"type":"user.message","id":"5","data":{"content":"And then?"}}`,
		`{"type":"user.message","id":"6","agentId":"a1","data":{"content":"Look."}}`,
		`{"type":"session.model_change","id":"7","data":{"newModel":"m2"}}`,
		`{"type":"system.message","id":"8","data":{"content":"Be very brief."}}`,
		`{"type":"session.info","id":"9","data":{"infoType":"history_truncated","message":"","truncated":{"eventId":"5","from":5,"removed":4}}}`)
	s := fold(t, log...)
	if !s.Torn() {
		t.Fatal("nothing is to be removed")
	}
	epoch := s.Epoch
	rebuilt, err := s.Rebuild(func() iter.Seq2[eventlog.Record, error] { return records(log) })
	if err != nil || !s.Adopt(rebuilt) || s.Torn() {
		t.Fatalf("the conversation was not replaced: %v", err)
	}
	want := fold(t, log[:4]...)
	if diff := cmp.Diff(read(want.Main.Messages), read(s.Main.Messages)); diff != "" {
		t.Errorf("the conversation (-want +got):\n%s", diff)
	}
	if s.Thread("a1") != nil || s.Model != "m2" || s.Turns != 1 || s.Epoch != epoch+1 {
		t.Errorf("thread %v, model %q, turns %d, epoch %d", s.Thread("a1"), s.Model, s.Turns, s.Epoch)
	}
	if s.Main.System != Digest("Be brief.") || s.Main.SystemBytes != int64(len("Be brief.")) {
		t.Errorf("the system message is the removed one, with %d bytes", s.Main.SystemBytes)
	}
	if diff := cmp.Diff(Spans{{5, 9}}, s.Cuts()); diff != "" {
		t.Errorf("removed parts (-want +got):\n%s", diff)
	}
	if s.Adopt(rebuilt); s.Seq != uint64(len(log)) {
		t.Errorf("position %d", s.Seq)
	}
}

// A conversation that was rebuilt from an older log replaces nothing.
func TestALateRebuildChangesNothing(t *testing.T) {
	log := append(append([]string{}, agentLog[:1]...),
		`{"type":"user.message","id":"2","data":{"content":"Wrong."}}`,
		`{"type":"session.info","id":"3","data":{"infoType":"history_truncated","message":"","truncated":{"eventId":"2","from":2,"removed":1}}}`)
	s := fold(t, log...)
	rebuilt, err := s.Rebuild(func() iter.Seq2[eventlog.Record, error] { return records(log) })
	if err != nil {
		t.Fatal(err)
	}
	more := fold(t, append(log, `{"type":"user.message","id":"4","data":{"content":"Meanwhile."}}`)...)
	before := read(more.Main.Messages)
	if more.Adopt(rebuilt) || read(more.Main.Messages) != before || !more.Torn() {
		t.Error("a message that came meanwhile is lost")
	}
}

// A sub-agent that ends before its calls have a result keeps its messages in memory until
// they have one: the result has to find its call.
func TestAFinishedThreadKeepsItsOpenCalls(t *testing.T) {
	log := append(append([]string{}, agentLog[:8]...),
		`{"type":"subagent.failed","id":"9","agentId":"a1","data":{"toolCallId":"t1"}}`,
		`{"type":"tool.execution_complete","id":"10","agentId":"a1","data":{"toolCallId":"c1","success":true,"result":{"content":"found"}}}`)
	if th := fold(t, log[:9]...).Thread("a1"); len(th.Open()) != 1 {
		t.Errorf("the thread has %d open calls, want 1", len(th.Open()))
	}
	s := fold(t, log...)
	th := s.Thread("a1")
	if len(th.Messages) != 0 {
		t.Errorf("%d messages are in memory after the last result", len(th.Messages))
	}
	all, err := th.All(s.Cuts(), records(log))
	if diff := cmp.Diff("user: Look for it.\nassistant: I look.\ntool: found\n", read(all)); err != nil || diff != "" {
		t.Errorf("%v, the thread (-want +got):\n%s", err, diff)
	}
}

// A command of the user belongs to the main conversation, so an event of a sub-agent
// cannot be the end of one.
func TestASubAgentEndsNoCommandOfTheUser(t *testing.T) {
	s := fold(t, append(append([]string{}, agentLog...),
		`{"type":"tool.execution_complete","id":"11","agentId":"a1","data":{"toolCallId":"c1","isUserRequested":true,"success":true,"result":{"content":"secret"}}}`)...)
	if got := read(s.Main.Messages); strings.Contains(got, "secret") {
		t.Errorf("the main agent reads:\n%s", got)
	}
}

// A removal names an event before it. If the id that it names belongs to a later event,
// its position counts, before and after that event was recorded.
func TestARemovalDoesNotNameALaterEvent(t *testing.T) {
	log := []string{
		`{"type":"session.start","id":"1","data":{}}`, `{"type":"user.message","id":"2","data":{"content":"one"}}`,
		`{"type":"session.info","id":"3","data":{"infoType":"history_truncated","truncated":{"eventId":"4","from":2,"removed":1}}}`,
		`{"type":"user.message","id":"4","data":{"content":"two"}}`,
	}
	live, resumed := fold(t, log[:3]...), fold(t, log...)
	rebuild(t, live, log[:3])
	rebuild(t, resumed, log)
	if diff := cmp.Diff(live.Cuts(), resumed.Cuts()); diff != "" || len(live.Cuts()) != 1 {
		t.Errorf("removed parts (-live +resumed):\n%s", diff)
	}
}

// A removal is an event of the session. One that carries an agent id removes nothing,
// neither from the session nor from a fork.
func TestASubAgentRemovesNoHistory(t *testing.T) {
	log := []string{
		`{"type":"session.start","id":"1","data":{}}`, `{"type":"user.message","id":"2","data":{"content":"one"}}`,
		`{"type":"session.info","id":"3","agentId":"a1","data":{"infoType":"history_truncated","truncated":{"eventId":"2","from":2,"removed":1}}}`,
	}
	cuts, _, err := ReadCuts("", func() iter.Seq2[eventlog.Record, error] { return records(log) })
	if err != nil || len(cuts) != 0 || fold(t, log...).Torn() {
		t.Errorf("a fork leaves out %v, %v", cuts, err)
	}
}

// An approval for the session holds for all its agents, whichever of them asked.
func TestAnApprovalOfASubAgentsCallHoldsForTheSession(t *testing.T) {
	s := fold(t,
		`{"type":"session.start","data":{"sessionId":"s1"}}`,
		`{"type":"permission.completed","agentId":"a1","data":{"requestId":"r1","result":{"kind":"approved-for-session","approval":{"kind":"commands","commandIdentifiers":["make"]}}}}`,
		`{"type":"session.model_change","agentId":"a1","data":{"newModel":"other"}}`,
	)
	if len(s.Approved) != 1 || s.Approved[0].String() != "shell(make)" {
		t.Errorf("approved: %v, want shell(make)", s.Approved)
	}
	if s.Model != "" {
		t.Errorf("the model is %q: an event of a sub-agent changed it", s.Model)
	}
}
