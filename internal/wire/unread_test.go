package wire_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// ofPreviews lists the settings of session.create and session.resume that newer SDKs than ours send.
var ofPreviews = []string{"diagnostics", "refreshCustomInstructions", "workflows", "factories", "requestedEnvironmentVariables", "sandboxConfigSource", "hookDirectories", "interactiveUser", "name", "agentDirectories", "trustWorkingDirectory", "allowTranscriptRecovery", "autopilot", "allowedModels", "enforceManagedModelDefaults", "excludedManagedSettings", "imageGeneration", "lifecycleDiagnostics", "hasSkillProvider"}

// ofOurs lists the settings that no SDK has.
var ofOurs = []string{"budget", "fallbackModels", "holdPendingWork", "pendingPermissions", "sandboxConfig", "sandbox", "serverModel"}

// ofUpdates lists the settings of session.options.update that only newer SDKs send.
var ofUpdates = []string{"ignoredSkillsLocations"}

// ofNewer lists the members of settings that only newer SDKs send.
var ofNewer = []string{"apiKeyCommand", "entra", "hooks", "instructions", "modelPolicy", "modelProvider", "namespace", "namespacedName", "toolCalls"}

// ofFiles lists the fields of MCP servers that only files have.
var ofFiles = []string{"authServerMetadataUrl", "callbackPort", "envFile", "gallery", "headersHelper", "version"}

// Every setting that an SDK can send with session.create, session.resume or
// session.options.update, and every member of an object in them, has an effect, or stands in the table
// with the reason why it has none.
func TestEverySettingOfTheSDKIsDecidedOn(t *testing.T) {
	sdk := readSDK(t)
	c := comparison{t: t, sdk: sdk, sent: map[reflect.Type][]string{}}
	top := reflect.TypeFor[wire.Config]()
	for _, request := range []string{"createSessionRequest", "resumeSessionRequest"} {
		if n := len(sdk[request].Fields.List); n < 80 {
			t.Fatalf("%s has %d fields; the SDK must have changed", request, n)
		}
		c.compare(wire.MembersOf(top), top, request, "")
	}
	configured := slices.Concat(c.sent[top], ofPreviews)
	var patch reflect.Type // has the fields of the next request
	if n := len(sdk["rpc.SessionUpdateOptionsParams"].Fields.List); n < 58 {
		t.Fatalf("session.options.update has %d fields; the SDK must have changed", n)
	}
	c.compare(wire.UpdateMembers(), patch, "rpc.SessionUpdateOptionsParams", "session.options.update ")
	for typ, request := range map[reflect.Type]string{
		reflect.TypeFor[wire.Send](): "rpc.SendRequest", reflect.TypeFor[wire.SendMessages](): "rpc.SendMessagesRequest", reflect.TypeFor[wire.ProviderAdd](): "rpc.ProviderAddRequest",
		reflect.TypeFor[wire.PermissionsPatch](): "rpc.PermissionsConfigureParams",
		reflect.TypeFor[wire.ModeSet]():          "rpc.ModeSetRequest", reflect.TypeFor[wire.ModelSwitch](): "rpc.ModelSwitchToRequest",
		reflect.TypeFor[wire.MCPDiscover](): "rpc.MCPDiscoverRequest", reflect.TypeFor[wire.PermissionModeSet](): "rpc.PermissionsSetModeRequest",
		reflect.TypeFor[wire.ShutdownParams](): "rpc.ShutdownRequest", reflect.TypeFor[wire.TaskWrite](): "rpc.TasksSendMessageRequest",
	} {
		c.compare(wire.MembersOf(typ), typ, request, request+" ")
	}
	checkTables(t, c.sent, configured, slices.Concat(c.sent[patch], ofUpdates))
}

// checkTables checks that the tables and the types have nothing that no SDK sends.
func checkTables(t *testing.T, sent map[reflect.Type][]string, configured, updated []string) {
	t.Helper()
	for typ, settings := range wire.UnreadFields() {
		for _, s := range settings {
			known := slices.Concat(sent[typ], ofFiles, ofNewer)
			if typ == reflect.TypeFor[wire.NamedProvider]() { // has the fields of a provider
				known = append(known, sent[reflect.TypeFor[wire.Provider]()]...)
			}
			if typ == reflect.TypeFor[wire.SendItem]() { // has the fields of a message that is sent alone
				known = append(known, sent[reflect.TypeFor[wire.Send]()]...)
			}
			if typ == reflect.TypeFor[wire.Config]() {
				known = slices.Concat(configured, updated)
				if s.Update == slices.Contains(configured, s.Field) {
					t.Errorf("%s: Update is %v, and session.create has it: %v", s.Field, s.Update, !s.Update)
				}
			}
			if s.Why == "" || !slices.Contains(known, s.Field) {
				t.Errorf("the setting %s of %v stands in the table, and no SDK sends it, or it has no reason", s.Field, typ)
			}
		}
	}
	for name, m := range wire.MembersOf(reflect.TypeFor[wire.Config]()) {
		if m.Unread == nil && !slices.Contains(slices.Concat(configured, updated, ofOurs), name) {
			t.Errorf("%s is read and no SDK sends it", name)
		}
	}
	for name, m := range wire.UpdateMembers() {
		if m.Unread == nil && !slices.Contains(slices.Concat(updated, ofOurs, []string{"sessionId"}), name) {
			t.Errorf("session.options.update changes %s and no SDK sends it", name)
		}
	}
}

// comparison compares the types that settings are decoded into with the SDK's.
type comparison struct {
	t    *testing.T
	sdk  map[string]*ast.StructType
	sent map[reflect.Type][]string // the members that SDKs send, by the type that they are decoded into
}

// compare checks that the members of objects of type ours have all fields of the SDK's struct.
func (c comparison) compare(known map[string]wire.Member, ours reflect.Type, sdk, path string) {
	fields := c.sdk[sdk]
	if fields == nil {
		c.t.Errorf("%s: the SDK has no struct %s", path, sdk)
		return
	}
	for _, f := range fields.Fields.List {
		if f.Tag == nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		if !slices.Contains(c.sent[ours], name) {
			c.sent[ours] = append(c.sent[ours], name)
		}
		m, ok := known[name]
		switch {
		case !ok:
			c.t.Errorf("%s%s is new: read it (%v), or say in unreadsettings.go why it has no effect", path, name, ours)
		case m.Unread == nil && m.Inner != nil:
			inner := structIn(m.Inner)
			for _, t := range sentIn(f.Type, strings.HasPrefix(sdk, "rpc.")) {
				c.compare(wire.MembersOf(inner), inner, t, path+name+".")
			}
		}
	}
}

// structIn returns the struct in a type of pointers, lists and maps.
func structIn(t reflect.Type) reflect.Type {
	for t.Kind() != reflect.Struct {
		t = t.Elem()
	}
	return t
}

// sentIn returns the names of the SDK's structs that a field can have; a type of package rpc has its
// name before it.
func sentIn(e ast.Expr, rpc bool) []string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return sentIn(e.X, rpc)
	case *ast.ArrayType:
		return sentIn(e.Elt, rpc)
	case *ast.MapType:
		return sentIn(e.Value, rpc)
	case *ast.SelectorExpr:
		return []string{"rpc." + e.Sel.Name}
	case *ast.Ident:
		switch {
		case e.Name == "MCPServerConfig": // an interface
			return []string{"MCPStdioServerConfig", "MCPHTTPServerConfig", "rpc.MCPServerConfigStdio", "rpc.MCPServerConfigHTTP"}
		case rpc:
			return []string{"rpc." + e.Name}
		}
		return []string{e.Name}
	}
	return nil
}

// readSDK returns the structs of the SDK, those of its package rpc with that name before them. Some
// are not exported, so the source is read.
func readSDK(t *testing.T) map[string]*ast.StructType {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/github/copilot-sdk/go").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	structs := map[string]*ast.StructType{}
	for name, prefix := range map[string]string{"types.go": "", "canvas.go": "", "rpc/zrpc.go": "rpc."} {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					structs[prefix+spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return structs
}

func TestUnreadSettings(t *testing.T) {
	for _, tc := range []struct {
		name, params string
		want         []string
		refused      string
	}{
		{"what this version reads", `{"sessionId":"s1","model":"m","provider":{"baseUrl":"http://x","transport":"websockets"},"tools":[{"name":"a","parameters":{"defer":1}}]}`, nil, ""},
		{"what SDKs always send", `{"envValueMode":"direct","includeSubAgentStreamingEvents":true,"requestElicitation":false,"mcpServers":{},"memory":{"enabled":false},"commands":[],"cloud":null}`, nil, ""},
		{"what asks for something", `{"memory":{"enabled":true},"factories":[{"name":"x"}],"contextTier":"long_context"}`, []string{"memory", "factories", "contextTier"}, ""},
		{"MCP servers of agents", `{"customAgents":[{"name":"a","infer":false},{"name":"b","mcpServers":{"x":{"command":"y"}}},{"name":"c","mcpServers":{"x":{"command":"y"}}}]}`, nil, ""},
		{"what no version knows", `{"inventedTomorrow":[{}, 0, "x"], "` + strings.Repeat("y", 100) + `":1,"\u001b[31m":true}`, []string{"inventedTomorrow", strings.Repeat("y", 60) + "…", `\\u001b[31m`}, ""},
		{"what would do harm", `{"openCanvases":[{"canvasId":"c"}],"cloud":{"repository":{"owner":"o","name":"n"}}}`, []string{"openCanvases", "cloud"}, "cloud"},
		{"an empty object of those", `{"cloud":{}}`, []string{"cloud"}, "cloud"},
		{"members of objects", `{"mcpServers":{"a":{"command":"x","env":{"ANY":"1"},"oauth":{"foo":1},"deferTools":"auto"},"b":{"oauth":null}},"provider":{"baseUrl":"u","headers":{"any":"1"},"tries":2}}`, []string{"mcpServers.a.oauth.foo", "provider.tries"}, ""},
		{"members of lists", `{"tools":[{"name":"a","colour":1,"metadata":{"x":1}},{"name":"b","colour":2}],"customAgents":[{"mcpServers":{"c":{"up":1}}}]}`, []string{"tools[].colour", "customAgents[].mcpServers.c.up"}, ""},
		{"an unknown limit", `{"sessionLimits":{"maxAiCredits":1,"maxTokens":2}}`, []string{"sessionLimits.maxTokens"}, "sessionLimits.maxTokens"},
		{"more than are named", `{` + many(45) + `}`, names(40), ""},
		{"no object", `[1,2]`, nil, ""},
		{"nothing", ``, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			u := wire.UnreadSettings(wire.Raw(tc.params))
			for _, s := range u.Settings {
				got = append(got, s.Field)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("unread (-want +got):\n%s", diff)
			}
			if refused := u.Refused; (refused != nil) != (tc.refused != "") || refused != nil && refused.Field != tc.refused {
				t.Errorf("refused is %v, want %q", refused, tc.refused)
			}
		})
	}
}

// many are the members of an object with n unknown members.
func many(n int) string {
	var all []string
	for _, name := range names(n) {
		all = append(all, fmt.Sprintf("%q:1", name))
	}
	return strings.Join(all, ",")
}

func names(n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprint("invented", i))
	}
	return out
}

// The warning names a bounded number of settings, and says how many more there are.
func TestTheWarningSaysHowManySettingsItLeavesOut(t *testing.T) {
	u := wire.UnreadSettings(wire.Raw("{" + many(45) + "}"))
	if text := u.Named(); u.More != 5 || !strings.HasSuffix(text, "; and 5 more.") || !strings.Contains(text, "invented39: ") || strings.Contains(text, "invented40") {
		t.Errorf("%d more: %s", u.More, text)
	}
}
