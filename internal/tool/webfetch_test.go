package tool_test

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/permit"
	"github.com/sidestick-dev/sidestick/internal/tool"
)

// website is a server with pages of every sort.
func website(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	page := func(path, kind, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = []string{kind}
			w.Write([]byte(body))
		})
	}
	page("/page", "text/html; charset=utf-8", "<title>T</title><p>Hello <a href='/x'>é</a>")
	page("/json", "application/json", `{"a": [1, 2]}`)
	page("/problem", "application/problem+json", `{}`)
	page("/image", "image/png", "\x89PNG\r\n\x1a\n")
	page("/unnamed", "", "<!doctype html><p>x")
	page("/unnamed.bin", "", "\x00\x01\x02")
	page("/latin", "text/plain; charset=ISO-8859-1", "caf\xe9 \x80")
	page("/meta", "text/html", `<meta charset="windows-1252"><p>caf`+"\xe9")
	page("/utf16", "text/plain", "\xff\xfeh\x00i\x00")
	page("/utf16be", "text/plain; charset=utf-16be", "\x00h\x00i")
	page("/bom", "text/plain", "\xef\xbb\xbfhi")
	page("/sjis", "text/plain; charset=shift_jis", "\x82\xa0")
	page("/sjis-ascii", "text/plain; charset=shift_jis", "hi")
	page("/long", "text/plain", strings.Repeat("é", 50_000))
	page("/huge", "text/plain", strings.Repeat("x", 10<<20+1))
	page("/empty", "text/plain", "")
	mux.HandleFunc("/missing", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "not here", http.StatusNotFound) })
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.UserAgent(), r.Header["Cookie"]) })
	mux.HandleFunc("/short", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "half")
	})
	mux.HandleFunc("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 64 {
			z.Write(make([]byte, 1<<20))
		}
		z.Close()
	})
	for path, to := range map[string]string{
		"/near": "/page", "/round": "/round", "/away": "http://example.com/x#y", "/login": "http://u:p@example.com/", "/ftp": "ftp://example.com/",
		"/hop5": "/hop4", "/hop4": "/hop3", "/hop3": "/hop2", "/hop2": "/hop1", "/hop1": "/page", "/hop6": "/hop5",
	} {
		mux.Handle(path, http.RedirectHandler(to, http.StatusFound))
	}
	mux.HandleFunc("/nowhere", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusFound) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func direct(*http.Request) (*url.URL, error) { return nil, nil }

// fetch asks, allows, and runs.
func fetch(t *testing.T, o tool.FetchOptions, args map[string]any) tool.Result {
	t.Helper()
	web := tool.WebFetch(o).(tool.Asker)
	data, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	c := tool.Call{ID: "1", Name: "web_fetch", Arguments: data}
	q, early := web.Request(t.Context(), c)
	if early != nil {
		return *early
	}
	if q.Kind != permit.URL || q.Address == "" || !strings.HasSuffix(q.Intention, q.Address) {
		t.Errorf("it asks for %+v", q)
	}
	c.Permitted = q
	return web.Run(t.Context(), c)
}

func TestWebFetch(t *testing.T) {
	s := website(t)
	host := strings.TrimPrefix(s.URL, "http://")
	ok := func(path, text string) string { return "Contents of http://${host}" + path + ":\n\n" + text }
	for _, tc := range []struct {
		path string
		args map[string]any
		want string
	}{
		{"/page", nil, ok("/page", "# T\n\nHello [é](http://${host}/x)")},
		{"/page#part", nil, ok("/page", "# T\n\nHello [é](http://${host}/x)")},
		{"/page", map[string]any{"raw": true}, ok("/page", "<title>T</title><p>Hello <a href='/x'>é</a>")},
		{"/json", nil, ok("/json", `{"a": [1, 2]}`)},
		{"/problem", nil, ok("/problem", `{}`)},
		{"/unnamed", nil, ok("/unnamed", "x")},
		{"/latin", nil, ok("/latin", "café €")},
		{"/meta", nil, ok("/meta", "café")},
		{"/utf16", nil, ok("/utf16", "hi")},
		{"/utf16be", nil, ok("/utf16be", "hi")},
		{"/bom", nil, ok("/bom", "hi")},
		{"/sjis-ascii", nil, ok("/sjis-ascii", "hi")},
		{"/empty", nil, ok("/empty", "")},
		{"/agent", nil, ok("/agent", "Sidestick (+https://github.com/sidestick-dev/sidestick)[]")},
		{"/long", map[string]any{"max_length": 3}, ok("/long", "ééé\n[Characters 0 to 3 of 50000 are shown. To read on: start_index 3.]")},
		{"/long", map[string]any{"max_length": 3, "start_index": 49_998}, ok("/long", "éé")},
		{"/long", nil, ok("/long", strings.Repeat("é", 20_000)+"\n[Characters 0 to 20000 of 50000 are shown. To read on: start_index 20000.]")},
		{"/near", nil, ok("/page", "# T\n\nHello [é](http://${host}/x)")},
		{"/hop6", map[string]any{"raw": true}, "http://${host}/hop6 could not be fetched: it redirects more than 5 times."},
		{"/hop5", map[string]any{"raw": true}, ok("/page", "<title>T</title><p>Hello <a href='/x'>é</a>")},
		{"/away", nil, "http://${host}/away redirects to another host: http://example.com/x\nNothing was fetched from there. Fetch that address if it is what you want."},

		{"/long", map[string]any{"start_index": 50_000}, "start_index is 50000, but the text of http://${host}/long has only 50000 characters."},
		{"/image", nil, "http://${host}/image could not be fetched: it is image/png, 8 bytes, and web_fetch reads text only. A shell command such as curl can save it to a file."},
		{"/unnamed.bin", nil, "http://${host}/unnamed.bin could not be fetched: it is application/octet-stream, 3 bytes, and web_fetch reads text only. A shell command such as curl can save it to a file."},
		{"/sjis", nil, "http://${host}/sjis: its characters are coded in shift_jis, which web_fetch does not know. A shell command such as curl with iconv can read it"},
		{"/missing", nil, "http://${host}/missing answered 404 Not Found.\n\nnot here\n"},
		{"/short", nil, "http://${host}/short could not be fetched: the answer broke off after 4 bytes: unexpected EOF."},
		{"/round", nil, "http://${host}/round could not be fetched: it redirects more than 5 times."},
		{"/login", nil, "http://${host}/login could not be fetched: it redirects: the address holds a user name or password; web_fetch takes none. Give it without."},
		{"/ftp", nil, `http://${host}/ftp could not be fetched: it redirects: "ftp://example.com/" cannot be fetched; give an address that begins with https:// or http://.`},
		{"/nowhere", nil, "http://${host}/nowhere could not be fetched: it redirects without saying where."},
		{"/page", map[string]any{"start_index": -1}, "max_length and start_index cannot be negative"},
	} {
		args := map[string]any{"url": s.URL + tc.path}
		for k, v := range tc.args {
			args[k] = v
		}
		r := fetch(t, tool.FetchOptions{Private: true, Proxy: direct}, args)
		if got := strings.ReplaceAll(r.Text, host, "${host}"); got != tc.want {
			t.Errorf("%s %v:\n%.300s\nwant\n%.300s", tc.path, tc.args, got, tc.want)
		}
		if good := strings.HasPrefix(tc.want, "Contents") || strings.Contains(tc.want, "another host"); good != (r.Outcome == tool.Success) {
			t.Errorf("%s: the outcome is %s", tc.path, r.Outcome)
		}
	}
}

// A page that is too large is cut after it is unpacked, not before.
func TestWebFetchIsBounded(t *testing.T) {
	s := website(t)
	for _, path := range []string{"/huge", "/bomb"} {
		r := fetch(t, tool.FetchOptions{Private: true, Proxy: direct}, map[string]any{"url": s.URL + path, "max_length": 10})
		want := "\n[Characters 0 to 10 of 10485760 are shown. To read on: start_index 10.]\n[The page is larger than 10485760 bytes; what is beyond was not read.]"
		if r.Outcome != tool.Success || !strings.HasSuffix(r.Text, want) {
			t.Errorf("%s: %s …%s", path, r.Outcome, r.Text[max(0, len(r.Text)-300):])
		}
	}
}

func TestWebFetchOfWhatIsNoAddress(t *testing.T) {
	for in, want := range map[string]string{
		"":                         `"" cannot be fetched; give an address that begins with https:// or http://`,
		"example.com":              `"example.com" cannot be fetched; give an address that begins with https:// or http://`,
		"file:///etc/passwd":       `"file:///etc/passwd" cannot be fetched; give an address that begins with https:// or http://`,
		"http://":                  `"http://" names no host`,
		"http:///x":                `"http:///x" names no host`,
		"http://:80/":              `"http://:80/" names no host`,
		"https://u:p@example.com/": "the address holds a user name or password; web_fetch takes none. Give it without",
		"http://a b/":              `"http://a b/" is not an address: invalid character " " in host name`,
		"http://[::1":              `"http://[::1" is not an address: missing ']' in host`,
	} {
		if r := fetch(t, tool.FetchOptions{}, map[string]any{"url": in}); r.Outcome != tool.Failure || r.Text != want {
			t.Errorf("%q: %s\nwant\n%s", in, r.Text, want)
		}
	}
}

// However this machine is called, it is not asked. The server would say so.
func TestWebFetchStaysOutside(t *testing.T) {
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	proxied := func(*http.Request) (*url.URL, error) { return url.Parse(s.URL) }
	for _, host := range []string{
		"127.0.0.1", "localhost", "LOCALHOST.", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "127.1", "2130706433", "0x7f.0.0.1",
		"0x7f000001", "017700000001", "0177.0.0.1", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "127.0.0.1.", "[fe80::1%25lo]",
		"169.254.169.254", "10.0.0.1", "192.168.1.1", "100.64.0.1",
	} {
		for name, proxy := range map[string]func(*http.Request) (*url.URL, error){"directly": direct, "by a proxy": proxied} {
			r := fetch(t, tool.FetchOptions{Proxy: proxy}, map[string]any{"url": "http://" + host + ":" + port + "/"})
			if r.Outcome != tool.Failure || asked > 0 {
				t.Fatalf("%s, %s: %s %s", host, name, r.Outcome, r.Text)
			}
		}
	}
	r := fetch(t, tool.FetchOptions{Proxy: direct}, map[string]any{"url": s.URL})
	if want := "127.0.0.1 is an address of this machine or of a private network, which may not be called."; !strings.HasSuffix(r.Text, want) {
		t.Errorf("the model reads %s", r.Text)
	}
	if fetch(t, tool.FetchOptions{Proxy: proxied}, map[string]any{"url": "http://example.com/"}); asked != 1 {
		t.Errorf("the proxy was asked %d times for what is outside", asked)
	}
}

func TestWebFetchThatIsAborted(t *testing.T) {
	reached := make(chan bool)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(reached)
		<-r.Context().Done()
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-reached
		cancel()
	}()
	web := tool.WebFetch(tool.FetchOptions{Private: true, Proxy: direct}).(tool.Asker)
	c := tool.Call{Name: "web_fetch", Arguments: []byte(`{"url":"` + s.URL + `/"}`)}
	if r := web.Run(ctx, c); r.Outcome != tool.Failure || !strings.Contains(r.Text, "there is no permission") {
		t.Errorf("without permission: %s %s", r.Outcome, r.Text)
	}
	c.Permitted, _ = web.Request(ctx, c)
	if r := web.Run(ctx, c); r.Outcome != tool.Interrupted {
		t.Errorf("%s: %s", r.Outcome, r.Text)
	}
}
