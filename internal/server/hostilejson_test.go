package server_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// hostileJSON are values that are valid JSON, and that a careless reader needs a stack, or time by the square
// of their size, for.
func hostileJSON() map[string]string {
	var members strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&members, `,"k%d":0`, i)
	}
	nest := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	return map[string]string{
		"200,000 lists":                nest("[", "", "]", 200_000),
		"40,000 objects":               nest(`{"a":`, "0", "}", 40_000),
		"9,000 lists":                  nest("[", "", "]", 9_000), // encoding/json reads 10,000
		"9,000 objects":                nest(`{"a":`, "0", "}", 9_000),
		"9,000 schemas":                nest(`{"type":"object","properties":{"a":`, "{}", "}}", 4_400),
		"a list of 200,000":            "[0" + strings.Repeat(",0", 200_000) + "]",
		"an object of 200,000":         "{" + members.String()[1:] + "}",
		"200,000 schemas":              `{"type":"object","properties":{` + strings.ReplaceAll(members.String()[1:], ":0", ":{}") + "}}",
		"a text of 512 KB":             `"` + strings.Repeat("x", 512<<10) + `"`,
		"a text of 60,000 escapes":     `"` + strings.Repeat(`\u0041`, 60_000) + `"`,
		"a text of 60,000 \\\\ and \"": `"` + strings.Repeat(`\\\"`, 60_000) + `"`,
	}
}

// entrances are calls with a value of a client at each place that takes JSON of any kind.
var entrances = []struct{ name, method, params string }{
	{"params", "session.create", `$V`},
	{"an unknown method", "no.such.method", `$V`},
	{"an unknown field", "session.create", `{"sessionId":"$ID","what":$V}`},
	{"a session's id", "session.resume", `{"sessionId":$V}`},
	{"the schema of a tool", "session.create", `{"sessionId":"$ID","tools":[{"name":"t","parameters":$V}]}`},
	{"tools", "session.create", `{"sessionId":"$ID","tools":$V}`},
	{"an MCP server", "session.create", `{"sessionId":"$ID","mcpServers":{"s":$V}}`},
	{"agents", "session.create", `{"sessionId":"$ID","customAgents":$V}`},
	{"an agent's servers", "session.create", `{"sessionId":"$ID","customAgents":[{"name":"a","prompt":"p","mcpServers":$V}]}`},
	{"the system message", "session.create", `{"sessionId":"$ID","systemMessage":$V}`},
	{"the provider", "session.create", `{"sessionId":"$ID","provider":$V}`},
	{"the sandbox", "session.create", `{"sessionId":"$ID","sandboxConfig":$V}`},
	{"managed settings", "session.create", `{"sessionId":"$ID","managedSettings":$V}`},
	{"options", "session.options.update", `{"sessionId":"s1","toolFilter":$V,"sandboxConfig":$V}`},
	{"an attachment", "session.send", `{"sessionId":"s1","prompt":"p","attachments":[$V]}`},
	{"the form of an answer", "session.send", `{"sessionId":"s1","prompt":"p","responseFormat":{"type":"json_schema","jsonSchema":{"name":"n","schema":$V}}}`},
	{"a form", "session.ui.elicitation", `{"sessionId":"s1","message":"Who?","requestedSchema":$V}`},
	{"the result of a tool", "session.tools.handlePendingToolCall", `{"sessionId":"s1","requestId":"none","result":$V}`},
	{"an answer about a permission", "session.permissions.handlePendingPermissionRequest", `{"sessionId":"s1","requestId":"none","result":$V}`},
	{"the answer of a form", "session.ui.handlePendingElicitation", `{"sessionId":"s1","requestId":"none","result":$V}`},
	{"a model's answer", "llmInference.httpResponseStart", `{"requestId":"none","status":200,"headers":$V}`},
	{"a file", "session.workspaces.createFile", `{"sessionId":"s1","path":"a","content":$V}`},
	{"a filter value", "secrets.addFilterValues", `{"values":[$V]}`},
	{"a log entry", "session.log", `{"sessionId":"s1","message":$V}`},
}

// TestHostileJSONOfClients: each call with such a value is answered, with memory by the size of the value;
// the connection goes on.
func TestHostileJSONOfClients(t *testing.T) {
	values := hostileJSON()
	for n, at := range entrances {
		t.Run(at.name, func(t *testing.T) {
			inBubble(t, setup{}, func(t *testing.T, p *process) {
				c := p.connect()
				c.call("session.create", `{"sessionId":"s1","requestElicitation":true}`)
				for name, value := range values {
					params := strings.NewReplacer("$V", value, "$ID", fmt.Sprintf("e%d-%d", n, len(value))).Replace(at.params)
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					c.answer(c.request(at.method, params)) // a result or an error
					c.call("ping", `{}`)
					runtime.ReadMemStats(&after)
					if used, most := after.TotalAlloc-before.TotalAlloc, uint64(8<<20+64*len(params)); used > most {
						t.Errorf("%s: %d KB for %d KB, want %d or less", name, used>>10, len(params)>>10, most>>10)
					}
				}
			}, modeltest.Reply{Text: "Good.", Repeat: true})
		})
	}
}

// TestListsOfParametersAreBounded: a list with more elements than anybody needs is refused by name, before each
// element becomes a tool or an agent of a kilobyte; of wrong parameters with many fields, not each is tried.
func TestListsOfParametersAreBounded(t *testing.T) {
	inBubble(t, setup{}, func(t *testing.T, p *process) {
		c := p.connect()
		for _, element := range []string{"0", "{}"} {
			list := "[" + strings.Repeat(element+",", 10_000) + element + "]"
			for _, name := range []string{"tools", "customAgents", "commands"} {
				a := c.answer(c.request("session.create", fmt.Sprintf(`{"sessionId":"s2","\u%04x%s":%s}`, name[0], name[1:], list)))
				if !strings.Contains(a.failure.Message, "has more than 10000 elements") {
					t.Errorf("%s of %s: %q", name, element, a.failure.Message)
				}
			}
		}
		many := hostileJSON()["an object of 200,000"]
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		a := c.answer(c.request("session.create", `{"tools":7,`+many[1:]))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; !strings.Contains(a.failure.Message, "tools") || used > 128<<20 {
			t.Errorf("%q, with %d KB", a.failure.Message, used>>10)
		}
	})
}
