package server_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/server"
)

// gitHub is the GitHub API of a transcript.
type gitHub map[string]json.RawMessage

func (g gitHub) RoundTrip(r *http.Request) (*http.Response, error) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if token == "silent" {
		return nil, errors.New("there is no network")
	}
	status, body := http.StatusOK, g[token]
	if body == nil {
		status = http.StatusUnauthorized
	}
	return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: io.NopCloser(bytes.NewReader(body))}, nil
}

func (s setup) identity() *server.Identity {
	if s.GitHub == nil {
		return nil
	}
	return &server.Identity{API: "https://api.github.test", Client: &http.Client{Transport: gitHub(s.GitHub)}}
}
