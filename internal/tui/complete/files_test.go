package complete

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func write(t testing.TB, dir string, files ...string) {
	t.Helper()
	for _, name := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		text := ""
		if filepath.Base(name) == ".gitignore" {
			text = "*.log\n/build/\n"
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func all(l *List) (out []string) {
	for _, it := range l.items {
		out = append(out, it.Text)
	}
	return out
}

func TestIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, ".git/config", ".gitignore", "a.go", "a.log", "build/x", "sub/b.go", "sub/deep/er/c.go", "sub/deep/d.go", "sub.go", "b\x1b.go")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	x := Index{Dir: link}
	now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	l, err := x.Refresh(t.Context(), now)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".gitignore", "a.go", "sub.go", "sub/", "sub/b.go", "sub/deep/", "sub/deep/d.go", "sub/deep/er/", "sub/deep/er/c.go"}
	if diff := cmp.Diff(want, all(l)); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	write(t, dir, "new.go")
	if again, err := x.Refresh(t.Context(), now.Add(fresh-1)); again != l || err != nil {
		t.Errorf("soon: read again, %v", err)
	}
	if again, err := x.Refresh(t.Context(), now.Add(time.Hour)); again.Len() != l.Len()+1 || err != nil {
		t.Errorf("later: %d files, %v", again.Len(), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if again, err := x.Refresh(ended, now.Add(2*time.Hour)); again.Len() != l.Len()+1 || err == nil {
		t.Errorf("interrupted: %d files, %v", again.Len(), err)
	}
	if l, err := (&Index{Dir: filepath.Join(dir, "none")}).Refresh(t.Context(), now); l != nil || err == nil {
		t.Error("a folder that does not exist was read")
	}
}

func TestIndexIsBounded(t *testing.T) {
	var p paths
	for i := range MaxFiles {
		p.add(fmt.Sprintf("d%d/f", i))
	}
	if len(p.all) != MaxFiles {
		t.Errorf("%d paths", len(p.all))
	}
}

func BenchmarkScan(b *testing.B) {
	dir := b.TempDir()
	for d := range 100 {
		for f := range 100 {
			write(b, dir, fmt.Sprintf("d%d/e%d/f%d.go", d, f%7, f))
		}
	}
	b.ResetTimer()
	for b.Loop() {
		if p, err := scan(b.Context(), dir); len(p) < 10_000 || err != nil {
			b.Fatal(len(p), err)
		}
	}
}
