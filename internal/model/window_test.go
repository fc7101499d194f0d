package model_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/model/chat"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

// site is a server that has some pages, and notes what it was asked.
type site struct {
	*modeltest.Host
	pages map[string]string // by path, perhaps with a query; "503" answers with that status; "…" never answers

	mu    sync.Mutex
	asked []string
	keys  []string
}

func newSite(pages map[string]string) *site {
	s := &site{pages: pages}
	s.Host = modeltest.NewHost(s)
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL.RequestURI())
	s.keys = append(s.keys, r.Header.Get("Authorization"))
	page, ok := s.pages[r.URL.RequestURI()]
	if !ok {
		page, ok = s.pages[r.URL.Path]
	}
	s.mu.Unlock()
	switch {
	case !ok:
		http.NotFound(w, r)
	case page == "503":
		w.WriteHeader(503)
	case page == "…":
		<-r.Context().Done()
	default:
		_, _ = w.Write([]byte(page))
	}
}

func (s *site) client() *model.Client {
	return model.New(model.Options{Transport: s.Transport()}, chat.New(), ollama.New())
}

// Real answers of servers, shortened.
const (
	// Source: github.com/ggml-org/llama.cpp, tools/server/server-context.cpp, the list of models, 2026.
	llamaList = `{"object":"list","data":[{"id":"qwen.gguf","object":"model","owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":49152,"n_ctx":8192,"n_ctx_train":131072,"n_params":134515008}}]}`
	// Source: the same file before meta had n_ctx.
	llamaOldList = `{"object":"list","data":[{"id":"qwen.gguf","object":"model","owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":49152,"n_ctx_train":131072}}]}`
	// Source: github.com/ggml-org/llama.cpp, tools/server/README.md, "GET /props".
	llamaProps = `{"default_generation_settings":{"id":0,"n_ctx":1024,"params":{"n_predict":-1}},"total_slots":1,"model_path":"../models/m.gguf"}`
	// Source: github.com/ggml-org/llama.cpp, tools/server/README.md, "Using multiple models".
	routerList  = `{"object":"list","data":[{"id":"a","object":"model","owned_by":"llamacpp","status":{"value":"loaded","args":["llama-server","-c","4096"]}},{"id":"b","object":"model","owned_by":"llamacpp","status":{"value":"unloaded"}}]}`
	routerProps = `{"role":"router","default_generation_settings":{"params":null,"n_ctx":0}}`
	// Source: github.com/vllm-project/vllm, vllm/entrypoints/openai/protocol.py, ModelCard.
	vllmList = `{"object":"list","data":[{"id":"meta-llama/Llama-3.1-8B","object":"model","owned_by":"vllm","root":"meta-llama/Llama-3.1-8B","max_model_len":32768}]}`
	// Source: github.com/sgl-project/sglang, python/sglang/srt/entrypoints/openai/protocol.py, ModelCard.
	sglangList = `{"object":"list","data":[{"id":"qwen","object":"model","owned_by":"sglang","root":"qwen","max_model_len":40960}]}`
	// Source: lmstudio.ai/docs, "OpenAI Compatibility Endpoints", GET /v1/models.
	lmStudioList = `{"data":[{"id":"gemma-3-270m-it-qat","object":"model","owned_by":"organization_owner"},{"id":"big","object":"model","owned_by":"organization_owner"}],"object":"list"}`
	// Source: github.com/lmstudio-ai/docs, 1_developer/2_rest/list.md.
	lmStudioModels = `{"models":[{"type":"llm","key":"gemma-3-270m-it-qat","loaded_instances":[{"id":"gemma-3-270m-it-qat","config":{"context_length":4096}}],"max_context_length":32768},
		{"type":"llm","key":"big","loaded_instances":[],"max_context_length":131072},
		{"type":"embedding","key":"text-embedding-nomic","loaded_instances":[{"id":"e","config":{"context_length":2048}}],"max_context_length":2048}]}`
	// Source: github.com/lmstudio-ai/docs, 1_developer/2_rest/endpoints.mdx, GET /api/v0/models.
	lmStudioOlder = `{"object":"list","data":[{"id":"gemma-3-270m-it-qat","object":"model","type":"llm","state":"loaded","max_context_length":32768,"loaded_context_length":6000},
		{"id":"big","object":"model","type":"vlm","state":"not-loaded","max_context_length":131072}]}`
	// Source: users of LM Studio report that older versions answer pages that do not exist by 200, with these words.
	lmStudioUnknown = `{"error":"Unexpected endpoint or method. (GET /props). Returning 200 anyway"}`
	// Source: github.com/ollama/ollama, openai/openai.go, ToListCompletion.
	ollamaList = `{"object":"list","data":[{"id":"gemma3:latest","object":"model","created":1,"owned_by":"library"},{"id":"qwen3:8b","object":"model","created":1,"owned_by":"library"}]}`
	// Source: docs.ollama.com/api/ps.
	ollamaLoaded = `{"models":[{"name":"gemma3:latest","model":"gemma3:latest","size":6591830464,"details":{"family":"gemma3"},"expires_at":"2025-10-17T16:47:07.93355-07:00","size_vram":5333539264,"context_length":4096}]}`
	// Source: docs.ollama.com/api/tags; details of newer servers have the window that the model was trained with.
	ollamaTags = `{"models":[{"name":"gemma3:latest","model":"gemma3:latest","details":{"family":"gemma3","context_length":131072}}]}`
	html       = `<!doctype html><html><title>llama.cpp</title></html>`
)

func TestTheWindowThatIsInForce(t *testing.T) {
	later := model.Window{Later: true}
	for _, tc := range []struct {
		name  string
		pages map[string]string
		model string
		want  model.Window
	}{
		{"llama.cpp", map[string]string{"/v1/models": llamaList}, "qwen.gguf", model.Window{Tokens: 8192, Source: "the list of models"}},
		{"llama.cpp, under any name", map[string]string{"/v1/models": llamaList}, "gpt-4o", model.Window{Tokens: 8192, Source: "the list of models"}},
		{"older llama.cpp", map[string]string{"/v1/models": llamaOldList, "/props": llamaProps}, "m", model.Window{Tokens: 1024, Source: "the server's /props"}},
		{"older llama.cpp, whose page is HTML", map[string]string{"/v1/models": llamaOldList, "/props": html}, "m", model.Window{}},
		{"older llama.cpp, while it loads", map[string]string{"/v1/models": llamaOldList, "/props": "503"}, "m", later},
		{"llama.cpp's router", map[string]string{"/v1/models": routerList, "/props": routerProps, "/props?autoload=false&model=a": llamaProps}, "a", model.Window{Tokens: 1024, Source: "the server's /props"}},
		{"llama.cpp's router, of a model that is not loaded", map[string]string{"/v1/models": routerList, "/props": llamaProps}, "b", later},
		{"llama.cpp's router, of no such model", map[string]string{"/v1/models": routerList, "/props": routerProps}, "c", model.Window{}},
		{"vLLM", map[string]string{"/v1/models": vllmList}, "meta-llama/Llama-3.1-8B", model.Window{Tokens: 32768, Source: "the list of models"}},
		{"SGLang", map[string]string{"/v1/models": sglangList}, "qwen", model.Window{Tokens: 40960, Source: "the list of models"}},
		{"LM Studio", map[string]string{"/v1/models": lmStudioList, "/api/v1/models": lmStudioModels}, "gemma-3-270m-it-qat", model.Window{Tokens: 4096, Source: "the server's /api/v1/models"}},
		{"LM Studio, of a model that is not loaded", map[string]string{"/v1/models": lmStudioList, "/api/v1/models": lmStudioModels}, "big", later},
		{"LM Studio, under any name", map[string]string{"/v1/models": lmStudioList, "/api/v1/models": lmStudioModels}, "gpt-4o", model.Window{Tokens: 4096, Source: "the server's /api/v1/models"}},
		{"older LM Studio", map[string]string{"/v1/models": lmStudioList, "/api/v1/models": lmStudioUnknown, "/api/v0/models": lmStudioOlder}, "gemma-3-270m-it-qat", model.Window{Tokens: 6000, Source: "the server's /api/v0/models"}},
		{"older LM Studio, of a model that is not loaded", map[string]string{"/v1/models": lmStudioList, "/api/v1/models": lmStudioUnknown, "/api/v0/models": lmStudioOlder}, "big", later},
		{"LM Studio's own list as the list", map[string]string{"/v1/models": lmStudioOlder}, "gemma-3-270m-it-qat", model.Window{Tokens: 6000, Source: "the list of models"}},
		{"LM Studio's own list as the list, of a model that is not loaded", map[string]string{"/v1/models": lmStudioOlder}, "big", later},
		{"Ollama", map[string]string{"/v1/models": ollamaList, "/api/ps": ollamaLoaded}, "gemma3", model.Window{Tokens: 4096, Source: "the server's /api/ps"}},
		{"Ollama, of a model that is not loaded", map[string]string{"/v1/models": ollamaList, "/api/ps": ollamaLoaded}, "qwen3:8b", later},
		{"older Ollama", map[string]string{"/v1/models": ollamaList, "/api/ps": `{"models":[{"name":"gemma3:latest"}]}`}, "gemma3", model.Window{}},
		{"OpenRouter and others", map[string]string{"/v1/models": `{"data":[{"id":"a","context_length":200000},{"id":"b"}]}`}, "a", model.Window{Tokens: 200000, Source: "the list of models"}},
		{"others", map[string]string{"/v1/models": `{"data":[{"id":"a","context_window":50000},{"id":"b"}]}`}, "a", model.Window{Tokens: 50000, Source: "the list of models"}},
		{"Mistral and others", map[string]string{"/v1/models": `{"data":[{"id":"a","max_context_length":60000},{"id":"b"}]}`}, "a", model.Window{Tokens: 60000, Source: "the list of models"}},
		{"a proxy without a word", map[string]string{"/v1/models": `{"data":[{"id":"a"},{"id":"b"}]}`}, "a", model.Window{}},
		{"no list, but llama.cpp's page", map[string]string{"/props": llamaProps}, "m", model.Window{Tokens: 1024, Source: "the server's /props"}},
		{"every page is HTML", map[string]string{"/v1/models": html, "/props": html, "/api/ps": html, "/api/v1/models": html, "/api/v0/models": html}, "m", model.Window{}},
		{"every page is LM Studio's answer to unknown pages", map[string]string{"/v1/models": lmStudioUnknown, "/props": lmStudioUnknown, "/api/ps": lmStudioUnknown, "/api/v1/models": lmStudioUnknown, "/api/v0/models": lmStudioUnknown}, "m", model.Window{}},
		{"a number that no window has", map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":-5}}]}`, "/props": `{"default_generation_settings":{"n_ctx":1e30}}`}, "m", model.Window{}},
		{"a text for a number", map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx":"8192"}}]}`, "/props": `{"default_generation_settings":{"n_ctx":"8192"}}`}, "m", model.Window{}},
		{"a number for an object", map[string]string{"/v1/models": `{"data":[{"id":"m","owned_by":"llamacpp","meta":7}]}`, "/props": `{"default_generation_settings":[]}`}, "m", model.Window{}},
		{"a page without an end", map[string]string{"/props": strings.Repeat(" ", 5<<20) + llamaProps}, "m", model.Window{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newSite(tc.pages)
			defer s.Close()
			got, err := s.client().Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1"}, tc.model)
			if err != nil || got != tc.want {
				t.Errorf("the window is %+v (%v), want %+v; asked: %q", got, err, tc.want, s.asked)
			}
		})
	}
}

// Ollama's own list has the window that a model was trained with, which is not the one in force.
func TestTheWindowInForceOverOllamasOwnDoor(t *testing.T) {
	s := newSite(map[string]string{"/api/tags": ollamaTags, "/api/ps": ollamaLoaded})
	defer s.Close()
	got, err := s.client().Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1", Dialect: ollama.Name}, "gemma3")
	if want := (model.Window{Tokens: 4096, Source: "the server's /api/ps"}); err != nil || got != want {
		t.Errorf("the window is %+v (%v), want %+v", got, err, want)
	}
}

// Each page is asked for once for all models, with the credential and the query of the endpoint, at its address
// only; the pages of other kinds of servers are not asked for if the list shows the kind.
func TestWhatAServerIsAskedForItsWindows(t *testing.T) {
	s := newSite(map[string]string{"/v1/models": lmStudioList, "/api/v1/models": lmStudioModels})
	defer s.Close()
	ep := model.Endpoint{BaseURL: "http://server.test/v1/?user=1", BearerToken: "secret"}
	got, err := s.client().Windows(t.Context(), ep, "gemma-3-270m-it-qat", "big")
	if err != nil || len(got) != 2 || got[0].Tokens != 4096 || !got[1].Later {
		t.Errorf("the windows are %+v (%v)", got, err)
	}
	if d := cmp.Diff([]string{"/v1/models?user=1", "/api/v1/models?user=1"}, s.asked); d != "" {
		t.Errorf("the server was asked something else (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"Bearer secret", "Bearer secret"}, s.keys); d != "" {
		t.Errorf("the credentials are others (-want +got):\n%s", d)
	}
}

// A redirect is not followed, so the credential goes nowhere else.
func TestTheQuestionForAWindowFollowsNoRedirect(t *testing.T) {
	var asked []string
	h := modeltest.NewHost(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Host)
		http.Redirect(w, r, "http://thief.test"+r.URL.Path, http.StatusFound)
	}))
	defer h.Close()
	client := model.New(model.Options{Transport: h.Transport()}, chat.New())
	if w, err := client.Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1", BearerToken: "secret"}, "m"); err != nil || w.Tokens != 0 {
		t.Errorf("%+v, %v", w, err)
	}
	for _, host := range asked {
		if host != "server.test" {
			t.Errorf("%s was asked", host)
		}
	}
}

// A silent server ends the question after two seconds, and one that its client reaches is not asked.
func TestTheQuestionForAWindowIsBounded(t *testing.T) {
	for _, pages := range []map[string]string{{"/v1/models": "…"}, {"/v1/models": `{"data":[{"id":"m"}]}`, "/api/ps": "…"}} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(pages)
			defer s.Close()
			began := time.Now()
			_, err := s.client().Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1", APIKey: "secret"}, "m")
			if took := time.Since(began); err == nil || took != model.WindowWait || strings.Contains(err.Error(), "secret") {
				t.Errorf("it took %v and ended with %v", took, err)
			}
		})
	}
	s := newSite(nil)
	defer s.Close()
	if _, err := s.client().Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1", Transport: carried{}}, "m"); err == nil || len(s.asked) != 0 {
		t.Errorf("an endpoint whose client carries the calls was asked: %v, %q", err, s.asked)
	}
}

type carried struct{ http.RoundTripper }

func (carried) Key() string          { return "" }
func (carried) May(model.Owner) bool { return true }
func (carried) Withheld(string)      {}

// The list that `models` shows has the windows in force, too.
func TestListsHaveTheWindowsInForce(t *testing.T) {
	for list, want := range map[string]int{llamaList: 8192, llamaOldList: 0, vllmList: 32768, lmStudioOlder: 6000} {
		if infos, err := model.DecodeInfos([]byte(list)); err != nil || infos[0].MaxContext != want {
			t.Errorf("%s: %+v (%v), want %d", list, infos, err, want)
		}
	}
}

func TestServersNearby(t *testing.T) {
	for address, want := range map[string]bool{
		"http://127.0.0.1:8080/v1": true, "http://localhost": true, "http://[::1]:1": true, "http://192.168.1.5:1234/v1": true, "http://10.0.0.1": true, "http://ollama:11434": true,
		"http://mac.local:1234": true, "http://host.docker.internal": true, "http://[fe80::1]": true, "http://a.localhost": true, "http://0.0.0.0:8000": true,
		"https://api.example.com/v1": false, "http://8.8.8.8": false, "": false, "http://": false, "http://local.test": false, "http://localhost.evil.com": false, "http://127.0.0.1.evil.com": false,
	} {
		if got := model.Near(address); got != want {
			t.Errorf("Near(%q) = %v", address, got)
		}
	}
}

// Whatever a server answers, the question ends with a possible window.
func FuzzWindow(f *testing.F) {
	for _, page := range []string{llamaList, llamaOldList, llamaProps, routerList, vllmList, lmStudioList, lmStudioModels, lmStudioOlder, lmStudioUnknown, ollamaList, ollamaLoaded, html, "", "null", "[]", `{"models":[null]}`, `{"data":[null,{}]}`} {
		f.Add(page, llamaProps)
		f.Add(`{"data":[{"id":"m"}]}`, page)
	}
	f.Fuzz(func(t *testing.T, list, page string) {
		s := newSite(map[string]string{"/v1/models": list, "/props": page, "/api/ps": page, "/api/v1/models": page, "/api/v0/models": page})
		defer s.Close()
		w, err := s.client().Window(t.Context(), model.Endpoint{BaseURL: "http://server.test/v1"}, "m")
		if err == nil && (w.Tokens < 0 || w.Tokens > 1<<30 || (w.Tokens > 0) != (w.Source != "") || w.Tokens > 0 && w.Later) {
			t.Errorf("%q and %q have the window %+v", list, page, w)
		}
		for _, asked := range s.asked {
			if _, err := url.ParseRequestURI(asked); err != nil {
				t.Errorf("asked %q", asked)
			}
		}
	})
}
