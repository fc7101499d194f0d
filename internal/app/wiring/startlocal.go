package wiring

import (
	"cmp"
	"os/exec"

	"github.com/sidestick-dev/sidestick/internal/app/localserver"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/model/ollama"
)

// StartLocal is how the servers of models that are installed on this machine are started.
func StartLocal(cfg config.Config) []localserver.Advice {
	window := int64(ollama.Window)
	if p, ok := cfg.Named("ollama:*"); ok {
		window = int64(cmp.Or(p.Window, ollama.Window))
	}
	return localserver.Advise(localserver.Machine{Look: exec.LookPath, Memory: localserver.Measure(), OllamaWindow: window})
}
