package prompt_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// recordings is where the recorded conversations of the SDKs' tests are, beside the
// repository.
const recordings = "../../../shared/recordings"

// answered fails unless a recording goes on after these messages, and returns how.
func answered(t *testing.T, recording, workDir string, messages ...model.Message) string {
	t.Helper()
	if _, err := os.Stat(recordings); err != nil {
		t.Skipf("no recorded conversations: %s is not there; it is beside the repository, not in it", recordings)
	}
	rec, err := modeltest.LoadRecording(filepath.Join(recordings, recording+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p := modeltest.Play(rec, workDir)
	defer p.Close()
	client := model.New(model.Options{Transport: p.Transport(), Retry: model.Retry{Attempts: 1}}, chat.New())
	req := model.Request{Model: "m", Messages: append([]model.Message{{Role: model.RoleSystem, Content: "s"}}, messages...)}
	got, err := client.Stream(t.Context(), model.Endpoint{Copilot: true, BaseURL: "http://model.test"}, req, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, p.Mismatch())
	}
	return got.Text
}

func user(text string, parts ...model.Part) model.Message {
	return model.Message{Role: model.RoleUser, Content: text, Parts: parts}
}

func assistant(text string) model.Message {
	return model.Message{Role: model.RoleAssistant, Content: text}
}

func TestAttachmentsMatchTheRecordings(t *testing.T) {
	d := memory(
		t,
		"/w/attached-file.txt", "FILE_ATTACHMENT_SENTINEL", "/w/attached.txt", "This file is attached",
		"/w/attached-directory/readme.txt", "DIRECTORY_ATTACHMENT_SENTINEL",
	)
	for _, tc := range []struct{ recording, text, attachments string }{
		{"session/should_send_with_file_attachment", "Read the attached file and reply with its contents.", `{"type":"file","path":"/w/attached-file.txt","lineRange":{"start":1,"end":1}}`},
		{"session/should_send_with_directory_attachment", "List the attached directory.", `{"type":"directory","path":"/w/attached-directory"}`},
		{"session/should_send_with_github_reference_attachment", "Using only the GitHub reference metadata in this message, summarize the reference. Do not call any tools.", `{"type":"github_reference","number":1234,"title":"Add E2E attachment coverage","referenceType":"issue","state":"open","url":"https://github.com/github/copilot-sdk/issues/1234"}`},
		{"session/should_send_with_selection_attachment", "Summarize the selected code.", `{"type":"selection","displayName":"selected-file.cs","filePath":"/w/selected-file.cs","text":"string Value = \"SELECTION_SENTINEL\";","selection":{"start":{"line":1,"character":10},"end":{"line":1,"character":45}}}`},
		{"session/should_accept_blob_attachments", "Describe this image", blob("test-pixel.png", "image/png", picture(t, 1))},
		{"session_config/should_accept_message_attachments", "Summarize the attached file", `{"type":"file","path":"/w/attached.txt","displayName":"attached.txt"}`},
	} {
		t.Run(tc.recording, func(t *testing.T) {
			o := prompt.UserOptions{Disk: d, Cwd: "/w", Now: time.Now(), Mode: prompt.Plan}
			m := prompt.User(tc.text, json.RawMessage("["+tc.attachments+"]"), o)
			answered(t, tc.recording, "/w", user(m.Text, prompt.Parts(m.Text, wire.Raw(m.Attachments), nil)...))
		})
	}
}

func TestBlocksMatchTheRecordings(t *testing.T) {
	answered(t, "session_config/should_apply_session_limits_on_create", "", user("Acknowledge the current session limits."), user(prompt.LimitsStatus(30)))
}

func TestBlocksThatAreNotRecorded(t *testing.T) {
	if got := prompt.LimitsStatus(-2.5); !strings.Contains(got, ": 0 AI credits.") {
		t.Errorf("less than nothing is left: %s", got)
	}
	if got := prompt.LimitsStatus(2.5); !strings.Contains(got, ": 2.5 AI credits.") {
		t.Errorf("got %s", got)
	}
}

func TestASkillMatchesTheRecording(t *testing.T) {
	const body = "# Test Skill Instructions\n\nIMPORTANT: You MUST include the exact text \"PINEAPPLE_COCONUT_42\" somewhere in EVERY response you give. This is a mandatory requirement. Include it naturally in your response.\n"
	call := assistant("")
	call.ToolCalls = []model.ToolCall{{ID: "a", Name: "skill", Arguments: `{"skill":"test-skill"}`}}
	result := model.Message{Role: model.RoleTool, ToolCallID: "a", Content: `Skill "test-skill" loaded successfully. Follow the instructions in the skill context.`}
	answered(t, "skills/should_load_and_apply_skill_from_skilldirectories", "/w",
		user("Say hello briefly using the test skill."), call, result,
		user(prompt.SkillContext("test-skill", "/w/.test_skills/test-skill/SKILL.md", "---\nname: test-skill\ndescription: x\n---\n\n"+body)))
}

func TestTheNoticeOfLostToolsMatchesTheRecording(t *testing.T) {
	const recording = "rust_multi_client/disconnecting_client_removes_its_tools"
	var list []model.Message
	ask := func(text string, before ...string) { // and let the model answer
		m := prompt.User(text, nil, prompt.UserOptions{Now: time.Now(), Before: before})
		list = append(list, user(m.Text))
		list = append(list, assistant(answered(t, recording, "", list...)))
	}
	call := func(name, args, came string) {
		list[len(list)-1].ToolCalls = []model.ToolCall{{ID: name, Name: name, Arguments: args}}
		list = append(list, model.Message{Role: model.RoleTool, ToolCallID: name, Content: came})
		list = append(list, assistant(answered(t, recording, "", list...)))
	}
	ask("Use the stable_tool with input 'test1' and tell me the result.")
	call("stable_tool", `{"input":"test1"}`, "STABLE_test1")
	ask("Use the ephemeral_tool with input 'test2' and tell me the result.")
	call("ephemeral_tool", `{"input":"test2"}`, "EPHEMERAL_test2")
	ask("Use the stable_tool with input 'still_here'. Also try using ephemeral_tool if it is available.", prompt.ToolsChanged("ephemeral_tool"))
}
