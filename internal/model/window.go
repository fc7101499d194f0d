package model

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

const (
	opWindow = "model.Window"
	// WindowWait bounds one question for windows, with all its requests.
	WindowWait = 2 * time.Second
	// maxWindowPage bounds one answer, in bytes. The largest known, /props with a chat template, has
	// some 20 kilobytes.
	maxWindowPage = 4 << 20
	// maxWindow bounds a window that is believed, in tokens: 1,000 times the largest one.
	maxWindow = 1 << 30
)

// Window is the context window that is in force at a server: how many tokens a prompt and its answer may
// have together.
type Window struct {
	// Tokens is the window; 0 if the server does not say.
	Tokens int64
	// Source says in words where the server has said it, as "the server's /props"; "" if it has not.
	Source string
	// Later says that the server loads the model with its next call, and knows the window after it.
	Later bool
}

// The values of [Window.Source].
const (
	WindowOfList     = "the list of models"
	windowOfProps    = "the server's /props"
	windowOfLMStudio = "the server's /api/v1/models"
	windowOfOlder    = "the server's /api/v0/models"
	windowOfOllama   = "the server's /api/ps"
)

// Window is [Client.Windows] for one model.
func (c *Client) Window(ctx context.Context, ep Endpoint, name string) (Window, error) {
	all, err := c.Windows(ctx, ep, name)
	if err != nil {
		return Window{}, err
	}
	return all[0], nil
}

// Windows asks a server for the windows that are in force for models, and returns them in the order of
// the names. It looks into the list of models first, which [Client.Models] has perhaps kept, and asks the server's
// other pages only for what the list does not say: those of llama.cpp, LM Studio and Ollama. It loads no
// model. The requests have the credential of the endpoint, follow no redirect and are not recorded.
// All together end in [WindowWait]. A server with one model serves it under any name.
//
// A page that is missing, or that is something else than it should be, says nothing, which is no error. An error is like those of
// [Client.Stream]: the server could not be reached, or the endpoint cannot be asked, as one
// with a [Transport].
func (c *Client) Windows(ctx context.Context, ep Endpoint, names ...string) ([]Window, error) {
	on := PublicAddress(ep.BaseURL)
	d, err := c.dialect(ep.Dialect)
	if err != nil {
		return nil, err
	}
	over, ok := d.(*overHTTP)
	if !ok || ep.Transport != nil || over.Sign != nil {
		return nil, invalid(opWindow, on, "this endpoint cannot be asked for the window of a model")
	}
	ctx, cancel := context.WithTimeout(ctx, WindowWait)
	defer cancel()
	list, err := c.Models(ctx, ep)
	var failed *Error
	if ctx.Err() != nil || errors.As(err, &failed) && (failed.Category == CategoryNetwork || failed.Category == CategoryTimeout) {
		return nil, cmp.Or(err, ctx.Err())
	}
	if err := ep.renew(ctx); err != nil {
		return nil, err
	}
	root, err := ep.At()
	if err != nil {
		return nil, invalid(opWindow, "", "%w", err)
	}
	root.Path = strings.TrimSuffix(strings.TrimSuffix(root.Path, "/"), "/v1")
	p := &pages{client: c, root: root, header: over.header(&ep, nil), list: list, got: map[string][]byte{}}
	if err := CheckHeader(p.header); err != nil {
		return nil, invalid(opWindow, on, "%w", err)
	}
	all := make([]Window, len(names))
	for i, name := range names {
		if all[i] = p.window(ctx, name); p.broken != nil {
			return nil, redacted(fault.New(fault.Unavailable, opWindow, on, "%w", p.broken), c.secretsOf(&ep, nil))
		}
	}
	return all, nil
}

// pages are the pages of one server, each of which is asked for once.
type pages struct {
	client *Client
	root   *url.URL // without /v1
	header http.Header
	list   []Info
	got    map[string][]byte // by path and query; nil for a page that there is not
	broken error             // the server cannot be reached any more
	bare   bool              // it has no page of llama.cpp for one of its models, and so for none
	busy   bool              // a page was answered by 503, as llama.cpp does while it loads a model
}

// window is the window of a model: what the list says, or else the page of the kind of server that
// the list shows; of each kind, if the list does not show it.
func (p *pages) window(ctx context.Context, name string) Window {
	entry, found := listedAs(p.list, name)
	if n := tokensOf(float64(entry.context())); n > 0 {
		return Window{Tokens: n, Source: WindowOfList}
	}
	if found && (entry.Status.Value != "" && entry.Status.Value != "loaded" || entry.fromLMStudio()) {
		return Window{Later: true} // a model of llama.cpp's router, or of LM Studio's own list
	}
	owner := entry.OwnedBy
	if !found && len(p.list) > 0 {
		owner = p.list[0].Vendor
	}
	kinds := []func(context.Context, string) (Window, bool){p.ollama, p.props, p.lmStudio, p.olderLMStudio}
	switch owner { // Source: what the servers write there, in model/window_test.go
	case "llamacpp":
		kinds = kinds[1:2]
	case "library":
		kinds = kinds[:1]
	case "organization_owner":
		kinds = kinds[2:]
	}
	for _, ask := range kinds {
		if w, known := ask(ctx, cmp.Or(entry.ID, name)); known || p.broken != nil {
			return w
		}
	}
	return Window{Later: p.busy}
}

// listedAs returns the entry of a model in a list: that of its name, or the only one, because a
// server with one model serves it under any name.
func listedAs(list []Info, name string) (s shapeInfo, found bool) {
	i := slices.IndexFunc(list, func(i Info) bool { return sameModel(i.ID, name) })
	if i < 0 && len(list) == 1 {
		i = 0
	}
	if i < 0 {
		return s, false
	}
	if !ValidButMistyped(json.Unmarshal(list[i].Raw, &s)) {
		s = shapeInfo{}
	}
	s.ID = list[i].ID
	return s, true
}

// sameModel compares names of models. Those of Ollama without a tag have the tag "latest".
func sameModel(a, b string) bool {
	return strings.TrimSuffix(a, ":latest") == strings.TrimSuffix(b, ":latest")
}

// tokensOf is a number of tokens, 0 for one that no window has.
func tokensOf(n float64) int64 {
	if n >= 1 && n <= maxWindow {
		return int64(n)
	}
	return 0
}

// props asks llama.cpp. In router mode the page is that of one model, which the page must not load;
// without the name of a model, its window is 0.
// Source: tools/server/README.md of github.com/ggml-org/llama.cpp, "GET /props" and "Routing requests".
func (p *pages) props(ctx context.Context, name string) (w Window, known bool) {
	var page struct {
		Settings struct {
			Window float64 `json:"n_ctx"`
		} `json:"default_generation_settings"`
	}
	if p.bare || !p.read(ctx, &page, url.Values{"model": {name}, "autoload": {"false"}}, "props") {
		p.bare = true
		return w, false
	}
	n := tokensOf(page.Settings.Window)
	return Window{Tokens: n, Source: windowOfProps}, n > 0
}

// ollama asks Ollama for the models that it has loaded.
// Source: docs.ollama.com/api/ps.
func (p *pages) ollama(ctx context.Context, name string) (w Window, known bool) {
	var page struct {
		Models []struct {
			Name   string  `json:"name"`
			Model  string  `json:"model"`
			Window float64 `json:"context_length"`
		} `json:"models"`
	}
	if !p.read(ctx, &page, nil, "api", "ps") || page.Models == nil {
		return w, false
	}
	for _, m := range page.Models {
		if sameModel(m.Name, name) || sameModel(m.Model, name) {
			n := tokensOf(m.Window)
			return Window{Tokens: n, Source: sourceIf(n, windowOfOllama)}, true
		}
	}
	return Window{Later: true}, true
}

func sourceIf(n int64, source string) string {
	if n == 0 {
		return ""
	}
	return source
}

// loaded is a model that LM Studio has loaded, or could load.
type loaded struct {
	key, instance string // instance is "" if it is not loaded
	window        float64
}

// lmStudio asks LM Studio since 0.4.
// Source: 1_developer/2_rest/list.md of github.com/lmstudio-ai/docs.
func (p *pages) lmStudio(ctx context.Context, name string) (Window, bool) {
	var page struct {
		Models []struct {
			Type      string `json:"type"`
			Key       string `json:"key"`
			Instances []struct {
				ID     string `json:"id"`
				Config struct {
					Window float64 `json:"context_length"`
				} `json:"config"`
			} `json:"loaded_instances"`
		} `json:"models"`
	}
	if !p.read(ctx, &page, nil, "api", "v1", "models") {
		return Window{}, false
	}
	var all []loaded
	for _, m := range page.Models {
		if m.Type == "embedding" || m.Key == "" {
			continue
		}
		if len(m.Instances) == 0 {
			all = append(all, loaded{key: m.Key})
		}
		for _, i := range m.Instances {
			all = append(all, loaded{m.Key, cmp.Or(i.ID, m.Key), i.Config.Window})
		}
	}
	return ofLMStudio(all, name, windowOfLMStudio)
}

// olderLMStudio asks LM Studio since 0.3.6.
// Source: 1_developer/2_rest/endpoints.mdx of github.com/lmstudio-ai/docs.
func (p *pages) olderLMStudio(ctx context.Context, name string) (Window, bool) {
	var page struct {
		Data []struct {
			ID     string  `json:"id"`
			Type   string  `json:"type"`
			State  string  `json:"state"`
			Window float64 `json:"loaded_context_length"`
		} `json:"data"`
	}
	if !p.read(ctx, &page, nil, "api", "v0", "models") {
		return Window{}, false
	}
	var all []loaded
	for _, m := range page.Data {
		switch {
		case m.ID == "" || m.State == "" || m.Type == "embeddings":
		case m.State == "loaded":
			all = append(all, loaded{m.ID, m.ID, m.Window})
		default:
			all = append(all, loaded{key: m.ID})
		}
	}
	return ofLMStudio(all, name, windowOfOlder)
}

// ofLMStudio is the window of a model among those of LM Studio: the smallest of its instances. If
// none has its name, and one model is loaded, that one serves it.
func ofLMStudio(all []loaded, name, source string) (w Window, known bool) {
	if len(all) == 0 {
		return w, false
	}
	mine := slices.DeleteFunc(slices.Clone(all), func(l loaded) bool { return l.key != name && l.instance != name })
	if len(mine) == 0 {
		if mine = slices.DeleteFunc(all, func(l loaded) bool { return l.instance == "" }); len(mine) != 1 {
			return Window{Later: true}, true
		}
	}
	for _, l := range mine {
		if l.instance == "" {
			return Window{Later: true}, true
		}
		if n := tokensOf(l.window); n > 0 && (w.Tokens == 0 || n < w.Tokens) {
			w = Window{Tokens: n, Source: source}
		}
	}
	return w, true
}

// read reads a page, and reports whether it is a JSON object. Values of unexpected type count as absent.
func (p *pages) read(ctx context.Context, into any, query url.Values, path ...string) bool {
	u := p.root.JoinPath(path...)
	given := u.Query()
	for name, values := range query {
		given[name] = values
	}
	u.RawQuery = given.Encode()
	data, asked := p.got[u.RequestURI()]
	if !asked && p.broken == nil {
		data, p.broken = p.ask(ctx, u)
		p.got[u.RequestURI()] = data
	}
	return len(data) > 0 && ValidButMistyped(json.Unmarshal(data, into))
}

// ask asks for a page. The answer is nil if there is no such page.
func (p *pages) ask(ctx context.Context, u *url.URL) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header = p.header.Clone()
	resp, err := p.client.http.Do(req)
	if err != nil {
		var outer *url.Error // its text repeats the URL
		if errors.As(err, &outer) {
			err = outer.Err
		}
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		p.busy = p.busy || resp.StatusCode == http.StatusServiceUnavailable
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxWindowPage+1))
	if ctx.Err() != nil {
		return nil, ctx.Err() // data may be a part
	}
	if err != nil || len(data) > maxWindowPage {
		return nil, nil
	}
	return data, nil
}

// Near reports whether an address is, by its name alone, one of this machine or of its network: a
// loopback, private, link-local or unspecified address, a name without a domain or with .local or .localhost, or
// host.docker.internal. Nothing is looked up.
func Near(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		ip = ip.Unmap()
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	}
	_, domain, _ := strings.Cut(host, ".")
	return domain == "" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || host == "host.docker.internal"
}
