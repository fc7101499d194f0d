package obs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/slogtest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/obs"
)

func TestRedactKeepsTheRulesOfHandlers(t *testing.T) {
	var out bytes.Buffer
	slogtest.Run(t, func(*testing.T) slog.Handler {
		out.Reset()
		redactor := &obs.Redactor{}
		redactor.Add("a secret that slogtest does not log")
		return obs.Redact(slog.NewJSONHandler(&out, nil), redactor)
	}, func(t *testing.T) map[string]any {
		var record map[string]any
		if err := json.Unmarshal(out.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		return record
	})
}

func TestRedact(t *testing.T) {
	const secret = "hunter2-hunter2"
	for _, tc := range []struct {
		name string
		log  func(*slog.Logger)
		want string
	}{
		{"a message", func(l *slog.Logger) { l.Info("got " + secret + "!") }, `msg="got «redacted»!"`},
		{"a text", func(l *slog.Logger) { l.Info("m", "url", "http://x/?k="+secret) }, `msg=m url="http://x/?k=«redacted»"`},
		{"every occurrence", func(l *slog.Logger) { l.Info("m", "a", secret+secret) }, `msg=m a=«redacted»«redacted»`},
		{"an error", func(l *slog.Logger) { l.Info("m", "err", errors.New("401 for "+secret)) }, `msg=m err="401 for «redacted»"`},
		{"a struct", func(l *slog.Logger) { l.Info("m", "v", struct{ A string }{secret}) }, `msg=m v={A:«redacted»}`},
		{"bytes", func(l *slog.Logger) { l.Info("m", "v", []byte(secret)) }, `msg=m v=«redacted»`},
		{"a value with a text of its own", func(l *slog.Logger) { l.Info("m", "v", texter(secret)) }, `msg=m v=«redacted»`},
		{"a value that resolves itself", func(l *slog.Logger) { l.Info("m", "v", valuer(secret)) }, `msg=m v=«redacted»`},
		{"inside a group", func(l *slog.Logger) { l.Info("m", slog.Group("g", "a", secret)) }, `msg=m g.a=«redacted»`},
		{"given to With", func(l *slog.Logger) { l.With("a", secret).Info("m") }, `msg=m a=«redacted»`},
		{"in a group of WithGroup", func(l *slog.Logger) { l.WithGroup("g").Info("m", "a", secret) }, `msg=m g.a=«redacted»`},

		{"a key that tells", func(l *slog.Logger) { l.Info("m", "apiKey", "x") }, `msg=m apiKey=«redacted»`},
		{"a header", func(l *slog.Logger) { l.Info("m", "Authorization", []string{"x"}) }, `msg=m Authorization=«redacted»`},
		{"an environment variable", func(l *slog.Logger) { l.Info("m", "GH_TOKEN", "x") }, `msg=m GH_TOKEN=«redacted»`},
		{"password and secret", func(l *slog.Logger) { l.Info("m", "dbPassword", "x", "client_secret", "x") }, `msg=m dbPassword=«redacted» client_secret=«redacted»`},
		{"a group whose name tells", func(l *slog.Logger) { l.Info("m", slog.Group("tokens", "a", "x", "n", 1)) }, `msg=m tokens.a=«redacted» tokens.n=1`},
		{"WithGroup whose name tells", func(l *slog.Logger) { l.WithGroup("tokens").WithGroup("b").With("a", "x").Info("m", "c", "y") }, `msg=m tokens.b.a=«redacted» tokens.b.c=«redacted»`},

		{"counts are no secrets", func(l *slog.Logger) { l.Info("m", "inputTokens", 12, "keyed", true, "tokenAge", time.Second) }, `msg=m inputTokens=12 keyed=true tokenAge=1s`},
		{"other values stay as they are", func(l *slog.Logger) { l.Info("m", "a", "x", "err", errors.New("no"), "n", nil) }, `msg=m a=x err=no n=<nil>`},
		{"a nil pointer with methods", func(l *slog.Logger) { l.Info("m", "v", (*pointer)(nil)) }, `msg=m v=<nil>`},
		{"a record is one line", func(l *slog.Logger) { l.Info("two\nlines", "a", "b\nc") }, `msg="two\nlines" a="b\nc"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			redactor := &obs.Redactor{}
			redactor.Add(secret)
			logger, _, err := obs.NewLogger(obs.Options{Level: "all", Stderr: &out, Redactor: redactor})
			if err != nil {
				t.Fatal(err)
			}
			tc.log(logger)
			_, got, _ := strings.Cut(out.String(), "level=INFO ")
			if got != tc.want+"\n" {
				t.Errorf("logged %q\nwant   %q", got, tc.want+"\n")
			}
		})
	}
}

type texter string

func (x texter) MarshalText() ([]byte, error) { return []byte(x), nil }
func (x texter) String() string               { return "harmless" }

type valuer string

func (v valuer) LogValue() slog.Value { return slog.StringValue(string(v)) }

type pointer struct{ text string }

func (p *pointer) MarshalText() ([]byte, error) { return []byte(p.text), nil }

func TestRedactor(t *testing.T) {
	for _, tc := range []struct {
		name    string
		secrets []string
		text    string
		want    string
	}{
		{"knowing none", nil, "all of it", "all of it"},
		{"too short to be one", []string{"1234567"}, "1234567", "1234567"},
		{"just long enough", []string{"12345678"}, "1234567812", "«redacted»12"},
		{"space around it does not count", []string{" 12345678\n", "   123   "}, "12345678 123", "«redacted» 123"},
		{"one begins with another", []string{"12345678", "12345678abcd"}, "12345678abcd", "«redacted»"},
		{"added twice", []string{"12345678", "12345678"}, "12345678", "«redacted»"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var r obs.Redactor
			for _, secret := range tc.secrets {
				r.Add(secret)
			}
			if got := r.Redact(tc.text); got != tc.want {
				t.Errorf("Redact(%q) knowing %q = %q, want %q", tc.text, tc.secrets, got, tc.want)
			}
		})
	}
}

func TestRedactorIsSafeForConcurrentUse(t *testing.T) {
	var r obs.Redactor
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 50 {
			r.Add(fmt.Sprintf("secret-%04d", i))
		}
	}()
	for range 50 {
		r.Redact("secret-0001 secret-0049")
	}
	<-done
	if got := r.Redact("secret-0001 secret-0049"); got != "«redacted» «redacted»" {
		t.Errorf("after all were added: %q", got)
	}
}
