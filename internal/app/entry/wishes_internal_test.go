package entry

import (
	"strings"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/session/registry"
)

// The question about a log, and the error where nobody can be asked, show the whole host that the conversation would go to, and the whole folder.
func TestAQuestionAboutALogHidesNoHost(t *testing.T) {
	host := "api.openai.com." + strings.Repeat("a.", 110) + "evil.example"
	address, folder := "https://"+host+"/v1", "/"+strings.Repeat("long/", 100)+"end"
	text := strings.Join(wanted(registry.Wishes{Model: address + "#m", Address: address, Folder: folder}), "\n")
	if !strings.Contains(text, host) || !strings.Contains(text, folder) {
		t.Errorf("the question shows %s", text)
	}
	if q := asked(registry.Wishes{Model: address + "#m", Address: address, Folder: folder}); q.Host != host || q.Address != address || q.Folder != folder {
		t.Errorf("the question shows %+v", q)
	}
	if got, want := destination("https://x.test/v1"), "https://x.test/v1"; got != want {
		t.Errorf("a short address is %q, want %q", got, want)
	}
}
