package mcp

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/projectfiles"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// onDisk returns files in memory, and the folder /work, trusted or not.
func onDisk(t *testing.T, trusted bool, files map[string]string) *Files {
	t.Helper()
	disk := vfs.NewMem()
	for name, text := range files {
		if err := disk.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := vfs.WriteFileAtomic(disk, name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return &Files{
		FS: disk, User: "/home/mcp-config.json", Other: "/user/.copilot/mcp-config.json", Resolve: filepath.Clean,
		Counts: func(string, string) error {
			if trusted {
				return nil
			}
			return projectfiles.ErrUntrusted
		}, Environ: func() []string { return []string{"KEY=k"} },
	}
}

func listed(f *Files) (lines, problems []string) {
	found, problems := f.Find("/work", "")
	for _, one := range found {
		off := ""
		if one.Disabled {
			off = " disabled"
		}
		lines = append(lines, one.Name+" "+one.Source+off+" "+string(one.Config))
	}
	return lines, problems
}

func TestServersInFiles(t *testing.T) {
	files := map[string]string{
		"/home/mcp-config.json":          `{"theme":"dark","mcpServers":{"a":{"command":"user"},"b":{"command":"user"}},"disabledMcpServers":["b"]}`,
		"/user/.copilot/mcp-config.json": `{"mcpServers":{"a":{"command":"other"},"c":{"command":"other"}}}`,
		"/work/.mcp.json":                `{"mcpServers":{"a":{"command":"${workspaceFolder}/run","env":{"K":"${KEY}","D":"${NONE:-d}"}},"e":{"command":"${NONE}"}}}`,
		"/work/.vscode/mcp.json":         `{"servers":{"a":{"command":"code"},"d":{"url":"https://x/${env:KEY}"},"f":{"url":"https://x/${input:key}"}}}`,
	}
	lines, problems := listed(onDisk(t, true, files))
	want := []string{
		`a workspace {"command":"/work/run","env":{"D":"d","K":"k"}}`, `b user disabled {"command":"user"}`, `c user {"command":"other"}`,
		`d workspace {"url":"https://x/k"}`,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(problems) != 2 || !strings.Contains(strings.Join(problems, " "), "${NONE} has no value here") || !strings.Contains(strings.Join(problems, " "), "${input:key} is asked for by an editor only") {
		t.Errorf("problems %q", problems)
	}
	lines, _ = listed(onDisk(t, false, files))
	if diff := cmp.Diff([]string{`a user {"command":"user"}`, `b user disabled {"command":"user"}`, `c user {"command":"other"}`}, lines); diff != "" {
		t.Errorf("in a folder that is not trusted (-want +got):\n%s", diff)
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	f := onDisk(t, true, map[string]string{"/home/mcp-config.json": `{`, "/work/.mcp.json": `[]`, "/work/.vscode/mcp.json": `{"servers":7}`})
	lines, problems := listed(f)
	if len(lines) != 0 || len(problems) != 3 {
		t.Errorf("found %q, problems %q", lines, problems)
	}
	if err := f.Put("a", jsonText(`{"command":"x"}`), true); err == nil || !strings.Contains(err.Error(), "repair the file") {
		t.Errorf("a damaged file was changed: %v", err)
	}
}

func TestTheUsersFile(t *testing.T) {
	f := onDisk(t, false, map[string]string{"/home/mcp-config.json": `{"theme":"dark","mcpServers":null}`})
	one, two := jsonText(`{"command":"one"}`), jsonText(`{"command":"two"}`)
	for what, err := range map[string]error{
		"no name": f.Put("", one, true), "no command": f.Put("a", jsonText(`{}`), true), "update": f.Put("a", one, false), "remove": f.Remove("a"),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if err := f.Put("a", one, true); err != nil {
		t.Fatal(err)
	}
	if err := f.Put("a", one, true); err == nil {
		t.Error("it was added twice")
	}
	if err := f.Put("a", two, false); err != nil {
		t.Error(err)
	}
	if err := f.Disable([]string{"a"}, true); err != nil {
		t.Error(err)
	}
	text, err := f.FS.ReadFile(f.User)
	if want := `{"theme":"dark","mcpServers":{"a":{"command":"two"}}, "disabledMcpServers": ["a"]}`; string(text) != want || err != nil {
		t.Errorf("the file is %s, %v", text, err)
	}
	if err := f.Disable([]string{"a"}, false); err != nil {
		t.Error(err)
	}
	servers, disabled, err := f.Users()
	if err != nil || len(servers) != 1 || len(disabled) != 0 {
		t.Errorf("%v, %v, %v", servers, disabled, err)
	}
	if err := f.Remove("a"); err != nil {
		t.Error(err)
	}
	if servers, _, _ := f.Users(); len(servers) != 0 {
		t.Errorf("left: %v", servers)
	}
}

const projectFile = `{
  // the servers of this project
  "mcpServers": {
    "b": {"command": "b"}, // bee
  },
  "other": [1, 2]
}
`

// A file that people write keeps what it has when a server is added or removed.
func TestAFileOfAProject(t *testing.T) {
	f := onDisk(t, true, map[string]string{"/work/.mcp.json": projectFile})
	if lines, problems := listed(f); len(lines) != 1 || len(problems) != 0 {
		t.Errorf("a file with comments: %q, problems %q", lines, problems)
	}
	path, err := f.Add("/work", "a", jsonText(`{"command":"x"}`), false)
	if path != "/work/.mcp.json" || err != nil {
		t.Errorf("%s, %v", path, err)
	}
	text, _ := f.FS.ReadFile(path)
	want := strings.Replace(projectFile, "// bee\n", "// bee\n    \"a\": {\n      \"command\": \"x\"\n    }\n", 1)
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := f.Add("/work", "a", jsonText(`{"command":"y"}`), false); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("it was added twice: %v", err)
	}
	for _, name := range []string{"a", "b"} {
		if err := f.RemoveFrom("/work", "", path, name); err != nil {
			t.Error(err)
		}
	}
	if text, _ = f.FS.ReadFile(path); !strings.Contains(string(text), "// bee") || !strings.Contains(string(text), `"other": [1, 2]`) {
		t.Errorf("the file is %s", text)
	}
	if info, err := f.FS.Stat(path); err != nil || info.Mode().Perm() != 0o600 { // as it was
		t.Errorf("%v, %v", info, err)
	}
	if err := f.RemoveFrom("/work", "", f.Other, "a"); err == nil {
		t.Error("a file of other programs was changed")
	}
}

// Servers that are not started are listed with the reason.
func TestServersThatAreNotStarted(t *testing.T) {
	files := map[string]string{
		"/home/mcp-config.json":  `{"mcpServers":{"a":{"command":"user"},"v":{"command":"${NONE}"}}}`,
		"/work/.mcp.json":        `{"mcpServers":{"a":{"command":"project"}}}`,
		"/work/.vscode/mcp.json": `{"servers":{"a":{"command":"code"}}}`,
	}
	for trusted, want := range map[bool][]string{
		true: {
			"a: the one in /work/.mcp.json takes its place", "a: the one in /work/.mcp.json takes its place", "a: ", "v: ${NONE} has no value here",
		},
		false: {"a: ", "a: the folder is not trusted", "a: the folder is not trusted", "v: ${NONE} has no value here"},
	} {
		all, _ := onDisk(t, trusted, files).All("/work", "")
		var got []string
		for _, one := range all {
			got = append(got, one.Name+": "+one.Why)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("trusted %v (-want +got):\n%s", trusted, diff)
		}
	}
	_, problems := onDisk(t, false, files).Find("/work", "")
	if len(problems) != 3 || !strings.Contains(strings.Join(problems, "\n"), "The MCP servers in /work/.mcp.json are not started, because the folder is not trusted; to trust it: sidestick trust /work") {
		t.Errorf("problems %q", problems)
	}
}

// A server that could not be started by its name is not put into the file.
func TestNamesInTheUsersFile(t *testing.T) {
	if err := onDisk(t, true, nil).Put("a\x1b[2J", json.RawMessage(`{"command":"x"}`), true); fault.KindOf(err) != fault.Invalid {
		t.Errorf("Put: %v", err)
	}
}

// A file that names a variable very often does not fill the memory.
func TestValuesOfVariablesAreBounded(t *testing.T) {
	f := onDisk(t, true, map[string]string{"/work/.mcp.json": `{"mcpServers":{"a":{"command":"` + strings.Repeat("${LONG}", 2000) + `"},"b":{"command":"${LONG}"}}}`})
	f.Environ = func() []string { return []string{"LONG=" + strings.Repeat("x", 1<<10)} }
	lines, problems := listed(f)
	if len(lines) != 1 || !strings.HasPrefix(lines[0], "b ") || len(problems) != 1 || !strings.Contains(problems[0], "more than 1024 KiB") {
		t.Errorf("servers %.100q, problems %q", lines, problems)
	}
}

// The files of all folders from the project down to the working directory count, the nearest most, and a file may
// have the servers without a member around them. They are changed where they are.
func TestFilesOfFoldersAndWithoutAWrapper(t *testing.T) {
	files := map[string]string{
		"/work/.mcp.json":         `{"$schema":"x","a":{"type":"streamable-http","url":"https://a.example/mcp"},"b":{"command":"root"}}`,
		"/work/sub/.mcp.json":     `{"mcpServers":{"b":{"command":"sub"}},"c":{"command":"beside"}}`,
		"/work/sub/cwd/.mcp.json": `{"d":{"command":"near"},"inputs":[],"other":{"x":1}}`,
		"/work/other/.mcp.json":   `{"mcpServers":{"e":{"command":"elsewhere"}}}`,
	}
	f := onDisk(t, true, files)
	var got []string
	found, problems := f.Find("/work", "/work/sub/cwd")
	for _, one := range found {
		got = append(got, one.Name+" "+one.Path+" "+Transport(one.Config))
	}
	want := []string{"a /work/.mcp.json http", "b /work/sub/.mcp.json stdio", "d /work/sub/cwd/.mcp.json stdio"}
	if diff := cmp.Diff(want, got); diff != "" || len(problems) > 0 {
		t.Errorf("problems %q (-want +got):\n%s", problems, diff)
	}
	if found, problems := onDisk(t, false, files).Find("/work", "/work/sub/cwd"); len(found) > 0 || len(problems) != 3 {
		t.Errorf("without trust: %v, %q", found, problems)
	}
	if _, err := f.Add("/work", "f", jsonText(`{"command":"new"}`), false); err != nil {
		t.Fatal(err)
	}
	if err := f.RemoveFrom("/work", "/work/sub/cwd", "/work/sub/cwd/.mcp.json", "d"); err != nil {
		t.Fatal(err)
	}
	root, _ := f.FS.ReadFile("/work/.mcp.json")
	near, _ := f.FS.ReadFile("/work/sub/cwd/.mcp.json")
	if strings.Contains(string(root), "mcpServers") || !strings.Contains(string(root), `"f"`) || strings.Contains(string(near), "near") {
		t.Errorf("after the changes:\n%s\n%s", root, near)
	}
}

func TestWebSocketsAreRefusedByName(t *testing.T) {
	if _, err := OutlineOf("a", jsonText(`{"type":"ws","url":"wss://a.example"}`)); err == nil || !strings.Contains(err.Error(), "WebSocket") {
		t.Error(err)
	}
}
