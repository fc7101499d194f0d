package server_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/sidestick-dev/sidestick/internal/server"
)

// resultType is what the SDK says of the result of a method.
type resultType struct {
	void     bool     // it has none, which is sent as null
	required []string // members that are always there
	nullable []string // members that are there as null if they have no value
}

var (
	ofMethod = regexp.MustCompile(`(?m)^RPC method: ([\w.]+)\.$`)
	saysNull = regexp.MustCompile(`(?i)(or null\b|returns null\b)`)
)

// nullableWithoutWord are members that the other SDKs declare as nullable, and whose comment in the Go SDK
// does not say so.
var nullableWithoutWord = map[string]string{"UserRequestedShellCommandResult": "exitCode"}

// resultTypes returns the results of the methods of the SDK, from its generated code. Methods whose result
// is a union or a list are not in it.
func resultTypes(t *testing.T) map[string]resultType {
	t.Helper()
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "github.com/github/copilot-sdk/go/rpc").Output()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(strings.TrimSpace(string(dir)), "zrpc.go"), nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	structs, results := map[string]resultType{}, map[string]resultType{}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, spec := range g.Specs {
				if s, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType); ok {
					structs[spec.(*ast.TypeSpec).Name.Name] = readResult(spec.(*ast.TypeSpec).Name.Name, g.Doc.Text(), s)
				}
			}
		}
	}
	for _, d := range f.Decls {
		m, ok := d.(*ast.FuncDecl)
		if !ok || m.Type.Results == nil {
			continue
		}
		name := ofMethod.FindStringSubmatch(m.Doc.Text())
		pointer, ok := m.Type.Results.List[0].Type.(*ast.StarExpr)
		if name == nil || !ok {
			continue
		}
		if r, ok := structs[pointer.X.(*ast.Ident).Name]; ok {
			results[name[1]] = r
		}
	}
	if len(results) < 300 {
		t.Fatalf("%d methods have a result; the generated code must have changed", len(results))
	}
	return results
}

// readResult reads a struct of the generated code. A struct without members and without a description stands
// for no result.
func readResult(name, doc string, s *ast.StructType) (r resultType) {
	doc, _, _ = strings.Cut(doc, "Experimental:")
	doc, _, _ = strings.Cut(doc, "Deprecated:")
	r.void = len(s.Fields.List) == 0 && strings.TrimSpace(doc) == ""
	for _, field := range s.Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value)
		member, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		switch {
		case member == nullableWithoutWord[name] || options != "" && saysNull.MatchString(field.Doc.Text()):
			r.nullable = append(r.nullable, member)
		case options == "":
			r.required = append(r.required, member)
		}
	}
	return r
}

// Each result in the transcripts has the members that the SDK's type requires, those without a value as null;
// a method without a result answers null, which its schema says. A member that may be null is null in one
// transcript at least, so that this test cannot pass without having seen it.
func TestResultsHaveTheMembersOfTheSDKsTypes(t *testing.T) {
	types := resultTypes(t)
	seen := map[string]bool{}
	for method, results := range transcribedResults(t) {
		want, known := types[method]
		if !known {
			continue
		}
		for _, result := range results {
			if want.void != (string(result) == "null") {
				t.Errorf("%s has no result: %v; it is answered with %s", method, want.void, result)
				continue
			}
			var members map[string]json.RawMessage
			if json.Unmarshal(result, &members) != nil || want.void {
				continue // a result of another shape is for the tests with the SDK
			}
			for _, name := range slices.Concat(want.required, want.nullable) {
				value, there := members[name]
				seen[method+" "+name] = seen[method+" "+name] || string(value) == "null"
				if !there {
					t.Errorf("%s lacks %s: %s", method, name, result)
				}
			}
		}
	}
	for method, of := range types {
		for _, name := range of.nullable {
			if slices.Contains(server.Methods(), method) && !seen[method+" "+name] && !slices.Contains(neverNull, method+" "+name) {
				t.Errorf("no transcript shows %s of %s as null", name, method)
			}
		}
	}
}

// neverNull are members that have a value in every session of this program.
var neverNull = []string{
	"session.metadata.contextInfo contextInfo", "session.metadata.getContextAttribution contextAttribution", "session.metadata.snapshot workspace",
}

// transcribedResults returns the results in the transcripts, by method.
func transcribedResults(t *testing.T) map[string][]json.RawMessage {
	t.Helper()
	names, err := filepath.Glob("testdata/wire/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(err)
	}
	results := map[string][]json.RawMessage{}
	for _, name := range names {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		methods := map[string][]string{} // by connection and id, in the order of the requests
		each := func(text string, f func(connection string, m map[string]json.RawMessage)) {
			for line := range strings.Lines(text) {
				connection, line := "a", strings.TrimSpace(line)
				if found := named.FindStringSubmatch(line); found != nil {
					connection, line = found[1], found[2]
				}
				var m map[string]json.RawMessage
				if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &m) == nil && m["id"] != nil {
					f(connection+" "+string(m["id"]), m)
				}
			}
		}
		each(section(a, "client"), func(id string, m map[string]json.RawMessage) {
			method := ""
			if json.Unmarshal(m["method"], &method) == nil && method != "" {
				methods[id] = append(methods[id], method)
			}
		})
		each(section(a, "server"), func(id string, m map[string]json.RawMessage) {
			if m["method"] != nil || len(methods[id]) == 0 {
				return // a request of the server
			}
			method := methods[id][0]
			methods[id] = methods[id][1:]
			if result, ok := m["result"]; ok {
				results[method] = append(results[method], result)
			}
		})
	}
	return results
}
