package turn

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

// A result with very many pictures does not keep the session busy.
func TestPicturesOfAResultAreBounded(t *testing.T) {
	res := Fit(tool.Result{Files: make([]tool.File, 100_000)})
	if n := strings.Count(res.Text, "cannot be shown"); n != maxShown || !strings.Contains(res.Text, "99980 more pictures are left out") {
		t.Errorf("%d pictures were looked at, of which the model reads %.200q", n, res.Text)
	}
}
