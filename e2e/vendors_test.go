package e2e_test

import (
	"cmp"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// A model that is named with its provider is called in the dialect of that provider, with its key,
// and its tools' results go back in that dialect, too.
func TestAModelOfAnotherVendor(t *testing.T) {
	for _, tc := range vendorCases() {
		t.Run(tc.model, func(t *testing.T) {
			v := &vendor{t: t, path: tc.path, key: tc.key, media: tc.media, answers: tc.answers}
			srv := httptest.NewServer(v)
			defer srv.Close()
			dir := t.TempDir()
			if err := os.WriteFile(dir+"/note.txt", []byte("hello"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(binary, "run", "-m", tc.model, "What does the note say?")
			cmd.Dir = dir
			cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "SIDESTICK_HOME=" + t.TempDir()}, tc.env(srv.URL)...)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "It says hello.") {
				t.Fatalf("%v: %s", err, out)
			}
			if len(v.bodies) != 2 || !strings.Contains(v.bodies[1], tc.second) {
				t.Errorf("the requests are\n%s", strings.Join(v.bodies, "\n\n"))
			}
		})
	}
}

// vendor is a provider that gives its answers one after the other.
type vendor struct {
	t         *testing.T
	path, key string // where requests must go, and the header that must have the key
	media     string // type of the answers; "" for server-sent events
	answers   []string

	mu     sync.Mutex
	bodies []string
}

func (v *vendor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	v.mu.Lock()
	defer v.mu.Unlock()
	if r.Method == http.MethodGet { // for the limits of a model that the catalogue does not know
		http.NotFound(w, r)
		return
	}
	if r.URL.Path != v.path || !strings.HasSuffix(r.Header.Get(v.key), "the-key") || len(v.bodies) == len(v.answers) {
		v.t.Errorf("request %d went to %s with %v", len(v.bodies)+1, r.URL.Path, r.Header)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	v.bodies = append(v.bodies, string(body))
	w.Header().Set("Content-Type", cmp.Or(v.media, "text/event-stream"))
	_, _ = io.WriteString(w, v.answers[len(v.bodies)-1])
}
