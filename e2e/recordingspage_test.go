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

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

var updateRecordings = flag.Bool("update-recordings", false, "write docs/recordings.md anew")

const recordingsPage = "../docs/recordings.md"

// otherwise has the recordings whose conversations are not held as the SDKs' test did, with the
// reason. It is in the page.
var otherwise = map[string]string{
	"pending_work_resume/should_continue_pending_permission_request_after_resume": "The recording ends with the call, so the call is rejected after the resume; the SDK's test approves it and meets a model that has no answer.",
	"rpc_shell_and_fleet/should_start_fleet_and_complete_custom_tool_task":        "`session.fleet.start` has words of its own here, see [conformance](conformance.md). The recorded words are sent as a prompt, and everything after them is as recorded.",
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
	b.WriteString("\n## Held otherwise\n\n| Recording | How, and why |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(otherwise)) {
		fmt.Fprintf(&b, "| %s | %s |\n", name, otherwise[name])
	}
	return b.String()
}

const recordingsHead = `# Recordings

The test suite of the SDKs has %d recordings of what a real model said to the reference runtime. %d of them hold conversations. The other %d are
empty: their test never asks the model.

` + "`go test ./e2e -run TestRecordedConversations`" + ` holds each of these conversations again with Sidestick and compares this page with
what it held (` + "`-update-recordings`" + ` writes the page). The model is the recording: it answers only a request that is the beginning of a recorded conversation, word for word, and the test fails with the
first difference. A conversation is held in one of three ways:

- *Prompts*: the prompts and the results of the program's own tools, as the recording has them. Built-in tools really run. Each conversation is
  held as it is, once more with a streaming model, and once more with a new process for each prompt.
- *Scene*: the same, after a setup that the recording does not show: files, settings of the session, hooks, decisions about permissions.
- *Program*: a program on the official Go SDK with the built binary does what the SDK's own test does: two clients, MCP servers,
  clients that leave and return, sessions that a client keeps, forks, rewinding, summaries.

| Folder | Recordings | Without a conversation | Prompts | Scene | Program |
|---|---|---|---|---|---|
`
