package sandbox

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
)

// homeOf returns the private home folder of a sandbox. One that writes keeps it, with the
// caches of compilers, for the next session with the same primary folder. One that only
// reads gets a folder of its own: nobody approved its commands, and what they leave in a cache
// must not become a part of the next build.
func (h *Host) homeOf(p Policy, dir string) string {
	if !p.writes() || h.opts.State == "" || len(p.Folders) == 0 {
		return filepath.Join(dir, "home")
	}
	sum := sha256.Sum256([]byte(p.Folders[0]))
	return filepath.Join(h.opts.State, hex.EncodeToString(sum[:8]), "home")
}
