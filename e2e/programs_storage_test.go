package e2e_test

import (
	"strings"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
)

// storagePrograms are those of the suite about clients that keep their sessions.
var storagePrograms = map[string]program{
	"session_fs/should_load_session_data_from_fs_provider_on_resume":          keepsAndContinues,
	"session_fs/should_map_large_output_handling_into_sessionfs":              keepsALargeOutput,
	"session_fs/should_persist_plan_md_via_sessionfs":                         keepsThePlan,
	"session_fs/should_reject_setprovider_when_sessions_already_exist":        refusesALateProvider,
	"session_fs/should_route_file_operations_through_the_session_fs_provider": keepsTheLog,
	"session_fs/should_succeed_with_compaction_while_using_sessionfs":         keepsASummary,
	"session_fs/should_write_workspace_metadata_via_sessionfs":                keepsTheWorkspace,
}

// storage is the folder of the recordings.
func (s *stage) storage() *copilot.SessionFSConfig {
	config := storage(s.work)
	config.SessionStatePath = "/session-state"
	return config
}

// keeper is a client that keeps its sessions on a shelf.
func (s *stage) keeper() (*copilot.Client, *shelf, func(*copilot.Session) copilot.SessionFSProvider) {
	kept := &shelf{files: map[string]string{}}
	c := s.client(func(o *copilot.ClientOptions) { o.SessionFS = s.storage() })
	return c, kept, func(*copilot.Session) copilot.SessionFSProvider { return kept }
}

// keeps looks for a text in a file on the shelf.
func (s *stage) keeps(kept *shelf, path, text string) {
	s.Helper()
	got, err := kept.ReadFile(path)
	if err != nil || !strings.Contains(got, text) {
		s.Errorf("%s has %q, %v; want %q in it", path, got, err, text)
	}
}

func keepsTheLog(s *stage) {
	c, kept, provide := s.keeper()
	talk := s.create(c, copilot.SessionConfig{CreateSessionFSProvider: provide})
	talk.asked("What is 100 + 200?")
	s.must(talk.Disconnect())
	s.keeps(kept, "/session-state/events.jsonl", "300")
}

func keepsAndContinues(s *stage) {
	c, _, provide := s.keeper()
	talk := s.create(c, copilot.SessionConfig{CreateSessionFSProvider: provide})
	talk.asked("What is 50 + 50?")
	s.must(talk.Disconnect())
	s.resume(c, talk.SessionID, copilot.ResumeSessionConfig{CreateSessionFSProvider: provide}).asked("What is that times 3?")
}

func refusesALateProvider(s *stage) {
	p := s.shared()
	s.create(p.client(s.T), copilot.SessionConfig{}).asked("Hello")
	late := copilot.NewClient(&copilot.ClientOptions{Connection: copilot.URIConnection{URL: p.url}, SessionFS: s.storage()})
	defer late.ForceStop()
	if err := late.Start(soon(s.T)); err == nil {
		s.Error("a client that wants to keep sessions came after others and was accepted")
	}
}

func keepsALargeOutput(s *stage) {
	c, kept, provide := s.keeper()
	big := strings.Repeat("x", 100_000)
	talk := s.create(c, copilot.SessionConfig{
		CreateSessionFSProvider: provide, Tools: []copilot.Tool{toolOf("get_big_string", "unused", func(string) string { return big })},
	})
	talk.asked("Call the get_big_string tool and reply with the word DONE only.")
	kept.mu.Lock()
	defer kept.mu.Unlock()
	for path, content := range kept.files {
		if strings.HasPrefix(path, "/session-state/temp/") && content == big {
			return
		}
	}
	s.Error("the whole output is not kept")
}

func keepsASummary(s *stage) {
	c, kept, provide := s.keeper()
	talk := s.create(c, copilot.SessionConfig{CreateSessionFSProvider: provide})
	talk.asked("What is 2+2?")
	s.compacted(talk)
	s.must(talk.Disconnect())
	s.keeps(kept, "/session-state/events.jsonl", "checkpointNumber")
}

func keepsTheWorkspace(s *stage) {
	c, kept, provide := s.keeper()
	talk := s.create(c, copilot.SessionConfig{CreateSessionFSProvider: provide})
	talk.asked("What is 7 * 8?")
	s.must(talk.Disconnect())
	s.keeps(kept, "/session-state/workspace.yaml", talk.SessionID)
}

func keepsThePlan(s *stage) {
	c, kept, provide := s.keeper()
	talk := s.create(c, copilot.SessionConfig{CreateSessionFSProvider: provide})
	talk.asked("What is 2 + 3?")
	_, err := talk.RPC.Plan.Update(soon(s.T), &rpc.PlanUpdateRequest{Content: "# Test Plan"})
	s.must(err)
	s.keeps(kept, "/session-state/plan.md", "# Test Plan")
}
