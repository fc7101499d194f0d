package hook_test

import (
	"errors"
	"testing"

	"github.com/sidestick-dev/sidestick/internal/wire"
)

// The user can turn off all hooks of files. If that setting cannot be read they do not run.
func TestTheUserTurnsHooksOfFilesOff(t *testing.T) {
	for _, tc := range []struct {
		name     string
		disabled bool
		err      error
		ran      int
		warnings int
	}{
		{"on", false, nil, 1, 0},
		{"off", true, nil, 0, 0},
		{"unknown", false, errors.New("damaged"), 0, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, r := &recorder{}, &repository{}
			r.file(t, "a.json", `{"version":1,"hooks":{"preToolUse":[{"type":"command","bash":"a","powershell":"a"}]}}`)
			files := r.files()
			files.Disabled = func() (bool, error) { return tc.disabled, tc.err }
			h := newHooks(s, files)
			h.ReadFiles(atRepo)
			h.PreToolUse(t.Context(), lookup)
			warnings := 0
			for _, e := range s.events {
				if _, ok := e.(*wire.SessionWarning); ok {
					warnings++
				}
			}
			if len(r.ran) != tc.ran || warnings != tc.warnings {
				t.Errorf("%d commands ran with %d warnings, want %d with %d", len(r.ran), warnings, tc.ran, tc.warnings)
			}
		})
	}
}
