package wire_test

import (
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

// ofPreviews lists the fields that newer SDKs than ours send, those of extensions, and those
// whose type is not in the file that the test reads.
var ofPreviews = []string{
	"diagnostics", "refreshCustomInstructions", "workflows", "factories", "requestedEnvironmentVariables", "sandboxConfigSource",
	"provider.hasBearerTokenProvider", "sessionLimits.maxAiCredits", "commands[].name", "commands[].description",
}

// ofOurs lists the fields that no SDK has.
var ofOurs = []string{"budget", "fallbackModels", "holdPendingWork", "pendingPermissions", "sandboxConfig", "sandbox"}

// Every field that an SDK can send with session.create or session.resume has an effect, or
// stands in the table with the reason why it has none.
func TestEverySettingOfTheSDKIsDecidedOn(t *testing.T) {
	sent := slices.Concat(settingsOfSDK(t), ofPreviews)
	read := fieldsOf(reflect.TypeFor[wire.Config](), "")
	var unread []string
	for _, s := range wire.UnreadFields() {
		if slices.Contains(unread, s.Field) {
			t.Errorf("%s stands in the table of unread settings twice", s.Field)
		}
		if s.Why == "" {
			t.Errorf("the table of unread settings says nothing about %s", s.Field)
		}
		unread = append(unread, s.Field)
	}
	for _, name := range sent {
		if !slices.Contains(read, name) && !slices.Contains(unread, name) {
			t.Errorf("%s is new: read it (Config in params.go), or say in unread.go why it has no effect", name)
		}
	}
	for _, name := range unread {
		if slices.Contains(read, name) && !strings.ContainsAny(name, ".[") {
			t.Errorf("%s is read: delete its line in unread.go", name)
		}
		if !slices.Contains(sent, name) {
			t.Errorf("%s stands in unread.go and no SDK sends it", name)
		}
	}
	for _, name := range read {
		if top := !strings.ContainsAny(name, ".["); top && !slices.Contains(sent, name) && !slices.Contains(ofOurs, name) {
			t.Errorf("%s is read and no SDK sends it", name)
		}
	}
}

// settingsOfSDK returns the fields of the SDK's requests to create and resume a session, with
// those of the structs in them. The types are not exported, so their source is read.
func settingsOfSDK(t *testing.T) (names []string) {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/github/copilot-sdk/go").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "types.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.TypeSpec); ok {
			if s, ok := spec.Type.(*ast.StructType); ok {
				structs[spec.Name.Name] = s
			}
		}
		return true
	})
	for _, request := range []string{"createSessionRequest", "resumeSessionRequest"} {
		fields := structFields(structs, request, "")
		if len(fields) < 80 {
			t.Fatalf("%s has %d fields; the SDK must have changed", request, len(fields))
		}
		names = append(names, fields...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// structFields returns the fields of a struct, and of the structs in it that [wire.Config]
// has, too.
func structFields(structs map[string]*ast.StructType, name, prefix string) (names []string) {
	s := structs[name]
	if s == nil {
		return nil
	}
	for _, f := range s.Fields.List {
		tag := reflect.StructTag("")
		if f.Tag != nil {
			tag = reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		}
		field, _, _ := strings.Cut(tag.Get("json"), ",")
		if field == "" || field == "-" {
			continue
		}
		names = append(names, prefix+field)
		if nested := map[string]string{
			"tools": "Tool", "customAgents": "CustomAgentConfig", "providers": "NamedProviderConfig", "models": "ProviderModelConfig",
		}[field]; nested != "" && prefix == "" {
			names = append(names, structFields(structs, nested, field+"[].")...)
		}
		nested := map[string]string{
			"provider": "ProviderConfig", "infiniteSessions": "InfiniteSessionConfig", "largeOutput": "LargeToolOutputConfig",
			"defaultAgent": "DefaultAgentConfig", "systemMessage": "SystemMessageConfig", "managedSettings": "ManagedSettings",
		}[field]
		if nested != "" && prefix == "" {
			names = append(names, structFields(structs, nested, field+".")...)
		}
	}
	return names
}

// fieldsOf returns the fields of a struct of package wire, with those of the structs in it.
func fieldsOf(typ reflect.Type, prefix string) (names []string) {
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous {
			names = append(names, fieldsOf(f.Type, prefix)...)
		}
		if name == "" || name == "-" {
			continue
		}
		names = append(names, prefix+name)
		inner, path := f.Type, "."
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Slice {
			inner, path = inner.Elem(), "[]."
		}
		if inner.Kind() == reflect.Struct && inner.PkgPath() == reflect.TypeFor[wire.Config]().PkgPath() && prefix == "" {
			names = append(names, fieldsOf(inner, name+path)...)
		}
	}
	return names
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
