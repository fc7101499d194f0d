package e2e_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	copilot "github.com/github/copilot-sdk/go"
	"github.com/github/copilot-sdk/go/rpc"
	"github.com/google/go-cmp/cmp"
)

// TestAProgramIsTestedOffline is the example of docs/replay.md: a program on the official SDK runs
// once with --record, and its tests run with --replay, without a provider, a key or a network.
func TestAProgramIsTestedOffline(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "weather.jsonl")
	provider := script(t, call("weather", `{"city":"Berlin"}`), say("It is raining in Berlin."))
	if got := askForWeather(t, at(provider), "--record", recording); got != "It is raining in Berlin." {
		t.Errorf("recorded: %q", got)
	}
	provider.Close()
	if got := askForWeather(t, at(provider), "--replay", recording); got != "It is raining in Berlin." {
		t.Errorf("replayed: %q", got)
	}
	if got := askForWeather(t, nil, "--replay", recording); got != "It is raining in Berlin." {
		t.Errorf("replayed without a provider: %q", got)
	}
}

// askForWeather is a program with a tool of its own. Its runtime gets the arguments.
func askForWeather(t *testing.T, provider *copilot.ProviderConfig, args ...string) string {
	t.Helper()
	home := t.TempDir()
	client := started(t, copilot.ClientOptions{
		Connection:       copilot.StdioConnection{Path: binary, Args: args, Env: environment(home)},
		WorkingDirectory: home,
	})
	session := create(t, client, copilot.SessionConfig{
		Provider: provider, OnPermissionRequest: copilot.PermissionHandler.ApproveAll,
		Tools: []copilot.Tool{toolOf("weather", "city", func(city string) string { return "rain in " + city })},
	})
	return session.ask("How is the weather in Berlin?")
}

// With --replay-tools a whole session is deterministic: commands are not run, nobody is asked, and
// the log is the same but for ids, times and paths.
func TestAReplayedSessionHasTheSameLog(t *testing.T) {
	recording := filepath.Join(t.TempDir(), "run.jsonl")
	provider := script(t,
		call("bash", `{"command":"echo once >> counter; wc -l < counter; date +%N","description":"count"}`),
		call("create", `{"path":"new.txt","file_text":"text"}`), call("view", `{"path":"note.txt"}`),
		say("Done."))
	home, recorded := loggedBy(t, at(provider), copilot.PermissionHandler.ApproveAll, "--record", recording)
	provider.Close()
	if data, err := os.ReadFile(filepath.Join(home, "counter")); err != nil || string(data) != "once\n" {
		t.Errorf("the command was to run once: %q, %v", data, err)
	}
	refuse := func(copilot.PermissionRequest, copilot.PermissionInvocation) (rpc.PermissionDecision, error) {
		return &rpc.PermissionDecisionReject{}, nil
	}
	home, replayed := loggedBy(t, at(provider), refuse, "--replay", recording, "--replay-tools")
	if d := cmp.Diff(recorded, replayed); d != "" {
		t.Errorf("the logs differ:\n%s", d)
	}
	for _, name := range []string{"counter", "new.txt"} {
		if _, err := os.Stat(filepath.Join(home, name)); !os.IsNotExist(err) {
			t.Errorf("the replay has made %s: %v", name, err)
		}
	}
}

// loggedBy is the log of a session that answers one prompt, without what differs between two sessions.
func loggedBy(t *testing.T, provider *copilot.ProviderConfig, decide copilot.PermissionHandlerFunc, args ...string) (home string, events []string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "note.txt"), []byte("a note\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	client := started(t, copilot.ClientOptions{
		Connection: copilot.StdioConnection{Path: binary, Args: args, Env: environment(home)}, WorkingDirectory: home,
	})
	s := create(t, client, copilot.SessionConfig{Provider: provider, OnPermissionRequest: decide, WorkingDirectory: home})
	if answer := s.ask("Count."); answer != "Done." {
		t.Errorf("%v: %q", args, answer)
	}
	text := strings.ReplaceAll(strings.Join(persisted(t, s.history()), "\n"), home, "/home")
	for _, r := range []struct{ pattern, with string }{
		{`"timestamp":"[^"]*"`, `"timestamp":"t"`},
		{`"startTime":"[^"]*"`, `"startTime":"t"`},
		{`(current_datetime\\u003e)[^\\]*`, `${1}t`},
		{`,"resolvedByHook":true`, ""}, // of a replay: it asks nobody
		{`"(duration|timeToFirstTokenMs|interTokenLatencyMs)":[0-9.]+`, `"$1":0`},
	} {
		text = regexp.MustCompile(r.pattern).ReplaceAllString(text, r.with)
	}
	ids := map[string]string{}
	text = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`).ReplaceAllStringFunc(text, func(id string) string {
		if ids[id] == "" {
			ids[id] = "id" + strconv.Itoa(len(ids)+1)
		}
		return ids[id]
	})
	return home, strings.Split(text, "\n")
}
