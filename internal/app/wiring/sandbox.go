package wiring

import (
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// SandboxHost returns what starts the sandboxes of this process. What they keep between
// sessions, such as caches of compilers, is in the home.
func SandboxHost(cfg config.Config) *sandbox.Host {
	return sandbox.NewHost(sandbox.Options{State: filepath.Join(cli.Absolute(cfg.Home.Value), "sandbox")})
}
