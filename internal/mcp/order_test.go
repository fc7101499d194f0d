package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	zooSchema  = `{"type":"object","properties":{"zoo":{"type":"string"},"ape":{"type":"object","properties":{"y":{"type":"string"},"b":{"enum":["z","a"]}}}},"required":["zoo"]}`
	formSchema = `{"type":"object","properties":{"surname":{"type":"string"},"name":{"type":"string"},"age":{"type":"integer"}}}`
)

// The model reads the properties of a tool, and the user the fields of a form, in the order in which the server has written them.
func TestTheOrderOfPropertiesIsThatOfTheServer(t *testing.T) {
	for _, stateless := range []bool{false, true} { // with the protocols of 2025-11-25 and 2026-07-28
		t.Run(fmt.Sprint(stateless), func(t *testing.T) {
			s := sdk.NewServer(&sdk.Implementation{Name: "test", Version: "1"}, nil)
			s.AddTool(&sdk.Tool{Name: "form", InputSchema: json.RawMessage(zooSchema)}, func(ctx context.Context, q *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				ask := &sdk.ElicitParams{Mode: "form", Message: "Who?", RequestedSchema: json.RawMessage(formSchema)}
				if stateless {
					if len(q.Params.InputResponses) == 0 {
						return &sdk.CallToolResult{InputRequests: sdk.InputRequestMap{"who": ask}}, nil
					}
				} else if _, err := q.Session.Elicit(ctx, ask); err != nil {
					return nil, err
				}
				return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "done"}}}, nil
			})
			web := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless}))
			asked := ""
			h := &fakeHost{cwd: "/", asker: &client{elicit: func(_ context.Context, e Elicitation) (Answer, error) {
				asked = string(e.Schema)
				return Answer{Action: "accept"}, nil
			}}}
			set := New(Options{Host: h})
			t.Cleanup(func() { set.Close(); web.CloseClientConnections(); web.Close() })
			set.Configure(Configuration{Servers: map[string]json.RawMessage{"web": jsonText(fmt.Sprintf(`{"url":%q}`, web.URL))}})
			if err := set.Settled(t.Context(), "web"); err != nil {
				t.Fatal(err)
			}
			one := called(t, set, "web-form")
			if got := string(one.Definition().Parameters); got != zooSchema {
				t.Errorf("the model reads %s", got)
			}
			if res := one.Run(t.Context(), toolCall()); res.Text != "done" || asked != formSchema {
				t.Errorf("%+v; the user was asked %s", res, asked)
			}
		})
	}
}

func TestArranged(t *testing.T) {
	for _, tc := range [][3]string{
		{`{"a":1,"b":[{"x":1,"c":2}],"d":"<"}`, `{"d":0,"b":[{"x":{},"c":7}],"gone":1}`, `{"d":"\u003c","b":[{"x":1,"c":2}],"a":1}`},
		{`{"b":1,"a":2}`, `{"b":1,"b":2,"\u0061":3}`, `{"b":1,"a":2}`},
		{`{"b":1,"a":2}`, `[1]`, `{"a":2,"b":1}`},
		{`{"b":null}`, ``, `{"b":null}`},
	} {
		var decoded any
		if err := json.Unmarshal([]byte(tc[0]), &decoded); err != nil {
			t.Fatal(err)
		}
		if got, err := arranged(decoded, json.RawMessage(tc[1])); err != nil || string(got) != tc[2] {
			t.Errorf("%s like %s is %s, %v", tc[0], tc[1], got, err)
		}
	}
}
