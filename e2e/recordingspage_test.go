package e2e_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

var updateRecordings = flag.Bool("update-recordings", false, "write docs/recordings.md anew")

const recordingsPage = "../docs/recordings.md"

// otherwise has the recordings whose conversations are not replayed as the SDKs' test did, with the
// reason. It is in the page.
var otherwise = map[string]string{
	"pending_work_resume/should_continue_pending_permission_request_after_resume": "The recording ends with the call. So our test rejects the call after the resume; the SDK's test approves it, and the recorded model has no further answer.",
	"rpc_shell_and_fleet/should_start_fleet_and_complete_custom_tool_task":        "Sidestick's instructions of `session.fleet.start` are not those of the reference runtime, see [conformance](conformance.md). The test sends the recorded instructions as a prompt, and everything after them is as recorded.",
}

// folderCount is how many recordings a folder has, and how their conversations are held.
type folderCount struct{ all, prompts, scenes, programs int }

// counted adds up the recordings by folder.
func counted(t *testing.T, found map[string]*modeltest.Recording) map[string]*folderCount {
	t.Helper()
	folders := map[string]*folderCount{}
	for name, rec := range found {
		folder, _, _ := strings.Cut(name, "/")
		if folders[folder] == nil {
			folders[folder] = &folderCount{}
		}
		c := folders[folder]
		c.all++
		_, staged := scenes[name]
		switch {
		case len(rec.Conversations) == 0:
			if staged || programs[name] != nil || otherwise[name] != "" {
				t.Errorf("%s has no conversation to hold", name)
			}
		case programs[name] != nil:
			if staged {
				t.Errorf("%s has a scene beside its program", name)
			}
			c.programs++
		case staged:
			c.scenes++
		default:
			c.prompts++
		}
	}
	return folders
}

// checkPage compares docs/recordings.md with what was replayed.
func checkPage(t *testing.T, found map[string]*modeltest.Recording) {
	t.Helper()
	got := page(counted(t, found))
	if *updateRecordings {
		if err := os.WriteFile(recordingsPage, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	old, err := os.ReadFile(recordingsPage)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(old), got); d != "" {
		t.Errorf("%s is out of date; run go test ./e2e -run TestRecordedConversations -update-recordings:\n%s", recordingsPage, d)
	}
}

func page(folders map[string]*folderCount) string {
	var sum folderCount
	for _, c := range folders {
		sum.all, sum.prompts, sum.scenes, sum.programs = sum.all+c.all, sum.prompts+c.prompts, sum.scenes+c.scenes, sum.programs+c.programs
	}
	held := sum.prompts + sum.scenes + sum.programs
	var b strings.Builder
	fmt.Fprintf(&b, recordingsHead, sum.all, held, sum.all-held)
	cell := func(n int) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	row := func(name string, c *folderCount) {
		fmt.Fprintf(&b, "| %s | %d | %s | %s | %s | %s |\n", name, c.all, cell(c.all-c.prompts-c.scenes-c.programs), cell(c.prompts), cell(c.scenes), cell(c.programs))
	}
	for _, name := range slices.Sorted(maps.Keys(folders)) {
		row(name, folders[name])
	}
	row("**all**", &sum)
	b.WriteString("\n## Recordings that are replayed differently\n\n| Recording | How, and why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(otherwise)) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, otherwise[name])
	}
	return b.String()
}

const recordingsHead = `# Recordings

The test suite of the SDKs has %d recordings of the answers of a real model to the reference runtime. %d of them contain conversations. The other %d are
empty, because their test never calls the model.

` + "`go test ./e2e -run TestRecordedConversations`" + ` replays each of these conversations with Sidestick and compares this page with
the conversations that it replayed (` + "`-update-recordings`" + ` writes the page). The recording takes the place of the model: it answers a request only if the request is exactly the beginning of a recorded
conversation, and the test fails at the first difference. There are three ways to replay a conversation:

- *Prompts*: the test sends the recorded prompts and the recorded results of the client's tools. Built-in tools really run. Each conversation is
  replayed three times: as it is, with a streaming model, and with a new process for each prompt.
- *Scene*: the same, after a setup that is not in the recording: files, settings of the session, hooks, decisions about permissions.
- *Program*: a program on the official Go SDK, with the built binary, repeats the steps of the SDK's own test: two clients, MCP servers,
  clients that leave and return, sessions that a client stores, forks, rewinding, summaries.

| Folder | Recordings | Without a conversation | Prompts | Scene | Program |
|---|---|---|---|---|---|
`
