package wiring

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/eventlog/files"
)

// TestEveryDurabilityReachesTheStore: what config lets through is told apart here.
func TestEveryDurabilityReachesTheStore(t *testing.T) {
	for name, want := range map[string]files.Sync{"": files.SyncTurn, "turn": files.SyncTurn, "always": files.SyncAlways, "os": files.SyncOS} {
		cfg, err := config.Load(config.Flags{Durability: name}, func(string) string { return "" }, "/home/ann")
		if err != nil {
			t.Fatal(err)
		}
		if got := durability(cfg.Durability.Value); got != want {
			t.Errorf("--durability %q is %v, want %v", name, got, want)
		}
	}
}
