//go:build linux

package sandbox_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/sandbox"
)

// largeTree makes a tree of 100,000 files, 10 in each folder, at most 20 levels deep.
func largeTree(tb testing.TB) (work string, folders []string) {
	work = tb.TempDir()
	folders = []string{work}
	random := rand.New(rand.NewPCG(1, 2))
	for i := 0; len(folders) < 10_000; i++ {
		at := folders[random.IntN(len(folders))]
		if strings.Count(at[len(work):], "/") > 18 {
			continue
		}
		folder := filepath.Join(at, fmt.Sprintf("folder%d", i))
		if err := os.Mkdir(folder, 0o755); err != nil {
			tb.Fatal(err)
		}
		folders = append(folders, folder)
	}
	for i := range 100_000 {
		if err := os.WriteFile(filepath.Join(folders[i%len(folders)], fmt.Sprintf("file%d.go", i)), nil, 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return work, folders
}

// BenchmarkLook measures what the start and the end of a git command that writes cost beside the
// command: whether files are covered, and which protected ones there are before and after. It
// does so in a tree of 100,000 files of which the command changes nothing, or in which it writes 100.
func BenchmarkLook(b *testing.B) {
	work, folders := largeTree(b)
	names := []string{".vscode", ".envrc", "*.code-workspace", ".husky", ".npmrc", ".config/autostart", "*profile.ps1", "mise.*.toml", ".cargo/config.toml"}
	for i := range 340 { // as many as there are
		names = append(names, fmt.Sprintf(".name%d", i))
	}
	p := sandbox.Policy{Mode: sandbox.WorkspaceWrite, Folders: []string{work}, Git: true, ProtectNames: names}
	time.Sleep(2100 * time.Millisecond) // what was changed a moment ago is read again
	for _, writes := range []int{0, 100} {
		b.Run(fmt.Sprintf("writes=%d", writes), func(b *testing.B) {
			boxes := host(b, sandbox.WorkspaceWrite, sandbox.Options{}).Boxes(b.TempDir())
			defer boxes.Close()
			boxes.Look(p)
			var all []time.Duration
			for round := 0; b.Loop(); round++ {
				start := time.Now()
				boxes.Renew()
				before, _ := boxes.Look(p)
				took := time.Since(start)
				for i := range writes {
					if err := os.WriteFile(filepath.Join(folders[i*97], fmt.Sprintf("new%d", round)), nil, 0o644); err != nil {
						b.Fatal(err)
					}
				}
				start = time.Now()
				after, _ := boxes.Look(p)
				all = append(all, took+time.Since(start))
				if len(before) != len(after) {
					b.Fatal(before, after)
				}
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
		})
	}
}
