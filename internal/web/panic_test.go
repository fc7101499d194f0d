package web_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A panic in one run for an OpenAI client fails that run. Its client gets no stack, and the
// next one gets its answer.
func TestAPanicEndsOneRunOfAModel(t *testing.T) {
	bubble(t, local, func(p *process) {
		var broken atomic.Bool
		p.stop()
		p.startOn(vfs.Fail(p.disk, func(op vfs.Op) error {
			if strings.Contains(op.Path, "openai-") && broken.Swap(false) {
				panic("the disk is broken")
			}
			return nil
		}))
		broken.Store(true)
		resp, text := p.try(p.t.Context(), askHi)
		if resp.StatusCode != http.StatusInternalServerError || !strings.Contains(text, `"type":"server_error"`) || strings.Contains(text, "_test.go") {
			p.t.Errorf("a panic is answered with %d %s", resp.StatusCode, text)
		}
		if resp, text := p.try(p.t.Context(), askHi); resp.StatusCode != http.StatusOK || !strings.Contains(text, "Hello.") {
			p.t.Errorf("the next request is answered with %d %s", resp.StatusCode, text)
		}
	}, says("Hello."))
}
