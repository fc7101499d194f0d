package server_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
)

// guardedService is an MCP server that is a web service, and its authorization server. It accepts one
// token, and a key in a header. It implements [http.RoundTripper].
type guardedService struct{}

func (guardedService) RoundTrip(q *http.Request) (*http.Response, error) {
	answer := func(status int, body string, header ...string) (*http.Response, error) {
		res := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), Request: q}
		for i := 0; i < len(header); i += 2 {
			res.Header.Set(header[i], header[i+1])
		}
		return res, nil
	}
	var body []byte
	if q.Body != nil {
		body, _ = io.ReadAll(q.Body)
		_ = q.Body.Close()
	}
	switch {
	case q.URL.Path == "/.well-known/oauth-protected-resource/mcp":
		return answer(200, `{"resource":"https://mcp.test/mcp","authorization_servers":["https://auth.test"]}`)
	case q.URL.Path != "/mcp":
		return answer(404, `{}`)
	case q.Header.Get("Authorization") != "Bearer the-token" && q.Header.Get("X-Key") != "the-key":
		return answer(401, `{"error":"who are you?"}`, "WWW-Authenticate", `Bearer scope="read", error="invalid_token"`)
	case q.Method != http.MethodPost:
		return answer(405, "")
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if json.NewDecoder(bytes.NewReader(body)).Decode(&m) != nil || m.ID == nil {
		return answer(202, "")
	}
	result := map[string]string{
		"initialize": `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"guarded","version":"1"}}`,
		"tools/list": `{"tools":[{"name":"whoami","description":"Who you are.","inputSchema":{"type":"object"}}]}`,
	}[m.Method]
	return answer(200, `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+result+`}`)
}
