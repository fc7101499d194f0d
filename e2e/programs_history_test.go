package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// historyPrograms are those of the suites about what is done with a conversation: summaries,
// forks, rewinding, deleting, and looking into it.
var historyPrograms = map[string]program{
	"agent_and_compact_rpc/should_compact_session_history_after_messages":                      compacts,
	"rewind/should_restore_tracked_file_and_conversation":                                      rewinds,
	"rpc_event_side_effects/should_allow_session_use_after_truncate":                           truncates,
	"rpc_event_side_effects/should_emit_snapshot_rewind_event_and_remove_events_on_truncate":   truncates,
	"rpc_session_state/should_compact_session_history_after_messages":                          compacts,
	"rpc_session_state/should_fork_session_to_event_id_excluding_boundary_event":               forksBefore,
	"rpc_session_state/should_fork_session_with_persisted_messages":                            forks,
	"rpc_session_state/should_report_error_when_forking_session_to_unknown_event_id":           forksNowhere,
	"rpc_session_state/should_report_processing_and_context_metadata":                          reportsContext,
	"rpc_session_state_extras/should_get_context_attribution_and_heaviest_messages_after_turn": reportsHeaviest,
	"rpc_session_state_extras/should_get_current_tool_metadata_after_initialization":           reportsTools,
	"rpc_ui_ephemeral_query/should_answer_ephemeral_query":                                     asksAside,
	"session_lifecycle/should_delete_session_permanently":                                      deletes,
	"session_lifecycle/should_isolate_events_between_concurrent_sessions":                      sideBySide("Say 'session_one_response'.", "Say 'session_two_response'."),
	"session_lifecycle/should_list_created_sessions_after_sending_a_message":                   sideBySide("Say hello", "Say world"),
	"session_lifecycle/should_return_events_via_getmessages_after_conversation":                returnsEvents,
	"session_lifecycle/should_support_multiple_concurrent_sessions":                            sideBySide("What is 1+1? Reply with just the number.", "What is 3+3? Reply with just the number."),
	"session_todos_changed/fires_session_todos_changed_and_exposes_rows_and_dependencies":      changesTodos,
}

// compacted asks for a summary.
func (s *stage) compacted(t *talk) {
	s.Helper()
	done, err := t.RPC.History.Compact(soon(s.T))
	s.must(err)
	if !done.Success {
		s.Errorf("the compaction ended with %+v", done)
	}
}

func compacts(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("What is 2+2?")
	s.compacted(talk)
}

func rewinds(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{EnableFileChangeTracking: new(true)})
	talk.asked("Use the create tool to create rewind-sdk.txt containing exactly SDK rewind content. After the tool succeeds, reply with exactly SDK_REWIND_DONE.")
	points, err := talk.RPC.History.ListRewindPoints(soon(s.T))
	s.must(err)
	if len(points.Points) != 1 || !points.Points[0].CanRestoreFiles || points.Points[0].FileCount != 1 {
		s.Fatalf("the points are %+v", points)
	}
	event := points.Points[0].EventID
	done, err := talk.RPC.History.Rewind(soon(s.T), &rpc.HistoryRewindRequest{EventID: event, Mode: rpc.HistoryRewindModeConversationAndFiles})
	s.must(err)
	file := filepath.Join(s.work, "rewind-sdk.txt")
	if done.Outcome != rpc.HistoryRewindOutcomeSuccess || !slices.Equal(done.RestoredFiles, []string{file}) {
		s.Errorf("the rewind ended with %+v", done)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		s.Errorf("the file is still there: %v", err)
	}
	s.without(talk, event)
}

// without wants that an event is no longer in the history.
func (s *stage) without(t *talk, event string) {
	s.Helper()
	if slices.ContainsFunc(t.history(), func(e copilot.SessionEvent) bool { return e.ID == event }) {
		s.Error("the event is still in the history")
	}
}

// message returns the id of the nth message of the user, from 0.
func (s *stage) message(t *talk, n int) string {
	s.Helper()
	for _, e := range t.history() {
		if _, ok := e.Data.(*copilot.UserMessageData); ok {
			if n--; n < 0 {
				return e.ID
			}
		}
	}
	s.Fatal("too few messages of the user")
	return ""
}

func truncates(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("Say SNAPSHOT_REWIND_TARGET exactly.")
	event := s.message(talk, 0)
	done, err := talk.RPC.History.Truncate(soon(s.T), &rpc.HistoryTruncateRequest{EventID: event})
	s.must(err)
	seen := await[*copilot.SessionSnapshotRewindData](s.T, talk.ear, 1)
	if done.EventsRemoved < 1 || seen.EventsRemoved != done.EventsRemoved || seen.UpToEventID != event {
		s.Errorf("%+v was answered and %+v reported", done, seen)
	}
	s.without(talk, event)
	if _, err := talk.RPC.Mode.Get(soon(s.T)); err != nil {
		s.Error(err)
	}
}

// forked returns a session that begins as another, up to an event of it.
func (s *stage) forked(c *copilot.Client, t *talk, to *string) *talk {
	s.Helper()
	fork, err := c.RPC.Sessions.Fork(soon(s.T), &rpc.SessionsForkRequest{SessionID: t.SessionID, ToEventID: to})
	s.must(err)
	return s.resume(c, fork.SessionID, copilot.ResumeSessionConfig{})
}

func forks(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say FORK_SOURCE_ALPHA exactly.")
	s.forked(c, talk, nil).asked("Now say FORK_CHILD_BETA exactly.")
	if n := len(all[*copilot.UserMessageData](talk.history())); n != 1 {
		s.Errorf("the source has %d messages of the user, want 1", n)
	}
}

func forksBefore(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say FORK_BOUNDARY_FIRST exactly.", "Say FORK_BOUNDARY_SECOND exactly.")
	fork := s.forked(c, talk, new(s.message(talk, 1)))
	if read := all[*copilot.UserMessageData](fork.history()); len(read) != 1 || read[0].Content != "Say FORK_BOUNDARY_FIRST exactly." {
		s.Errorf("the fork has %d messages of the user, want the first", len(read))
	}
}

func forksNowhere(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say FORK_UNKNOWN_EVENT_OK exactly.")
	_, err := c.RPC.Sessions.Fork(soon(s.T), &rpc.SessionsForkRequest{SessionID: talk.SessionID, ToEventID: new("unknown-event")})
	if err == nil || !strings.Contains(err.Error(), "unknown-event") {
		s.Errorf("a fork to an unknown event ended with %v", err)
	}
}

func reportsContext(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("Reply with exactly: RUST_CONTEXT_INFO")
	busy, err := talk.RPC.Metadata.IsProcessing(soon(s.T))
	s.must(err)
	info, err := talk.RPC.Metadata.ContextInfo(soon(s.T), &rpc.MetadataContextInfoRequest{PromptTokenLimit: 128_000, OutputTokenLimit: 4096})
	s.must(err)
	if busy.Processing || info.ContextInfo == nil || info.ContextInfo.TotalTokens <= 0 {
		s.Errorf("processing %t, context %+v", busy.Processing, info.ContextInfo)
	}
}

func reportsHeaviest(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("Say CONTEXT_METADATA_OK exactly.")
	attribution, err := talk.RPC.Metadata.GetContextAttribution(soon(s.T))
	s.must(err)
	heaviest, err := talk.RPC.Metadata.GetContextHeaviestMessages(soon(s.T), &rpc.MetadataContextHeaviestMessagesRequest{})
	s.must(err)
	if attribution.ContextAttribution == nil || attribution.ContextAttribution.TotalTokens <= 0 || len(heaviest.Messages) == 0 {
		s.Errorf("attribution %+v, heaviest %+v", attribution, heaviest)
	}
}

func reportsTools(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("What is 2+2?")
	current, err := talk.RPC.Tools.GetCurrentMetadata(soon(s.T))
	s.must(err)
	if !hasTool(current, "view") {
		s.Errorf("the tools are %+v", current)
	}
}

func asksAside(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	answer, err := talk.RPC.UI.EphemeralQuery(soon(s.T), &rpc.UIEphemeralQueryRequest{
		Question: "In one word, what is the primary color of a clear daytime sky?",
	})
	s.must(err)
	if answer.Answer != "Blue." {
		s.Errorf("the answer is %q", answer.Answer)
	}
}

func deletes(s *stage) {
	c := s.client()
	talk := s.create(c, copilot.SessionConfig{})
	talk.asked("Say hi")
	s.must(talk.Disconnect())
	s.must(c.DeleteSession(soon(s.T), talk.SessionID))
	if _, err := c.ResumeSession(soon(s.T), talk.SessionID, &copilot.ResumeSessionConfig{}); err == nil {
		s.Error("a deleted session was resumed")
	}
}

// sideBySide is two sessions at once, each of which has its own events.
func sideBySide(one, other string) program {
	return func(s *stage) {
		c := s.client()
		first, second := s.create(c, copilot.SessionConfig{}), s.create(c, copilot.SessionConfig{})
		first.send(one)
		second.send(other)
		for t, prompt := range map[*talk]string{first: one, second: other} {
			await[*copilot.SessionIdleData](s.T, t.ear, 1)
			if read := all[*copilot.UserMessageData](t.events()); len(read) != 1 || read[0].Content != prompt {
				s.Errorf("a client heard %d messages of the user", len(read))
			}
		}
		list, err := c.ListSessions(soon(s.T), nil)
		s.must(err)
		if len(list) != 2 {
			s.Errorf("%d sessions are listed, want 2", len(list))
		}
	}
}

func returnsEvents(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked("What is 2+2? Reply with just the number.")
	got := types(talk.history())
	for _, want := range []string{"session.start", "user.message", "assistant.message"} {
		if !strings.Contains(got, want+"\n") {
			s.Errorf("the history lacks %s:\n%s", want, got)
		}
	}
}

func changesTodos(s *stage) {
	talk := s.create(s.client(), copilot.SessionConfig{})
	talk.asked(prompts(s.rec.Conversations[0])[0])
	await[*copilot.SessionTodosChangedData](s.T, talk.ear, 1)
	read, err := talk.RPC.Plan.ReadSqlTodosWithDependencies(soon(s.T))
	s.must(err)
	if len(read.Rows) != 2 || len(read.Dependencies) != 1 || read.Dependencies[0].TodoID != "beta" || read.Dependencies[0].DependsOn != "alpha" {
		s.Errorf("the rows are %+v with %+v", read.Rows, read.Dependencies)
	}
}
