package extension_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/extension"
)

func TestSkills(t *testing.T) {
	echo := func(_ context.Context, args json.RawMessage, h http.Header) (string, error) {
		return string(args) + h.Get("X-GitHub-Token"), nil
	}
	for _, tc := range []struct {
		name, method, body string
		skill              extension.Skill
		status             int
		want               string
	}{
		{"arguments", "POST", `{"hex_color": "#00FF00", "n":1.0}`, echo, 200, `{"hex_color": "#00FF00", "n":1.0}ghu_1`},
		{"none", "POST", "{}", echo, 200, "{}ghu_1"},
		{"none at all", "POST", " \n", echo, 200, "{}ghu_1"},
		{"a list", "POST", "[]", echo, 400, "the arguments are not a JSON object\n"},
		{"no JSON", "POST", "{", echo, 400, "the arguments are not a JSON object\n"},
		{"too much", "POST", strings.Repeat(" ", 101), echo, 413, "the request is longer than 100 bytes\n"},
		{"the callback", "GET", "", echo, 200, "hello there\n"},
		{"another method", "DELETE", "", echo, 405, "Requests are sent with POST.\n"},
		{"an error", "POST", "{}", func(context.Context, json.RawMessage, http.Header) (string, error) {
			return "half", errors.New("no such colour: say one as #RRGGBB")
		}, 500, "no such colour: say one as #RRGGBB"},
		{"a panic", "POST", "{}", func(context.Context, json.RawMessage, http.Header) (string, error) { panic("secret") }, 500, "the skill failed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var log bytes.Buffer
			h := extension.NewSkillHandler(tc.skill, extension.HandlerOptions{
				Unsigned: true, Hosts: quiet.Hosts, MaxBody: 100, Greeting: "hello there", Logger: slog.New(slog.NewTextHandler(&log, nil)),
			})
			r := httptest.NewRequestWithContext(t.Context(), tc.method, "/", strings.NewReader(tc.body))
			r.Header.Set("X-GitHub-Token", "ghu_1")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tc.status || w.Body.String() != tc.want || w.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
				t.Errorf("answered %d %q %v, want %d %q", w.Code, w.Body, w.Header(), tc.status, tc.want)
			}
			if strings.Contains(log.String(), "secret") != (tc.name == "a panic") || strings.Contains(log.String(), "ghu_1") {
				t.Errorf("the log says %s", &log)
			}
		})
	}
}

func TestSkillsAreVerified(t *testing.T) {
	key := newKey(t)
	h := extension.NewSkillHandler(func(context.Context, json.RawMessage, http.Header) (string, error) { return "ok", nil },
		extension.HandlerOptions{Keys: fixed(t, key), Logger: quiet.Logger})
	for _, tc := range []struct {
		signature string
		status    int
	}{{key.sign(t, "{}"), 200}, {key.sign(t, ""), 401}, {"", 401}} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post(t, "{}", idHeader, key.id, signatureHeader, tc.signature))
		if w.Code != tc.status {
			t.Errorf("answered %d %s, want %d", w.Code, w.Body, tc.status)
		}
	}
}

func TestASkillThatTakesTooLong(t *testing.T) {
	o := quiet
	o.Timeout = time.Minute
	h := extension.NewSkillHandler(func(ctx context.Context, _ json.RawMessage, _ http.Header) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	}, o)
	served(t, h, func(t *testing.T, dial func() net.Conn) {
		status, body := exchange(t, dial(), request("{}", 2))
		if status != 500 || body != "the skill took longer than 1m0s and was stopped" {
			t.Errorf("answered %d %q", status, body)
		}
	})
}
