package complete

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/tree"
)

const (
	// MaxFiles bounds the files and folders of an index.
	MaxFiles = 100_000
	// maxScan bounds how long an index reads folders.
	maxScan = 3 * time.Second
	// fresh is how long an index is not read again, at least; and agingFactor, how many times as
	// long as reading it has taken.
	fresh       = 2 * time.Second
	agingFactor = 20
)

// Index is the files of a folder, without those that .gitignore excludes. Several goroutines may use
// it. The zero value with a Dir is ready.
type Index struct {
	Dir string // a folder, also through links

	mu   sync.Mutex
	list *List
	read time.Time
	took time.Duration
}

// Refresh returns the files and folders, with slashes and relative to the folder; folders end with a
// slash. It reads the folder if that was not done lately, which takes at most three seconds; more
// than [MaxFiles], or what was not read in time, is left out. now is the present time. If ctx ends
// first, or if the folder cannot be read, the result is what was found before, nil if nothing was.
func (x *Index) Refresh(ctx context.Context, now time.Time) (*List, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.list != nil && now.Sub(x.read) < max(fresh, agingFactor*x.took) {
		return x.list, nil
	}
	began := time.Now()
	paths, err := scan(ctx, x.Dir)
	if err != nil {
		return x.list, err
	}
	x.list, x.read, x.took = NewPaths(paths), now, time.Since(began)
	return x.list, nil
}

// scan is the paths below a folder.
func scan(ctx context.Context, dir string) ([]string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	real, err := tree.Resolve(dir)
	if err != nil {
		return nil, err
	}
	t, err := tree.Open(real)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	timed, cancel := context.WithTimeout(ctx, maxScan)
	defer cancel()
	var found paths
	t.Each(timed, func(_ *os.Root, rel string, _ fs.DirEntry) bool {
		found.add(rel)
		return len(found.all) < MaxFiles
	})
	return found.all, ctx.Err()
}

// paths is files in the order of their paths, and the folders that they are in.
type paths struct {
	all    []string
	folder string // that of the last file, with a slash at its end
}

func (p *paths) add(rel string) {
	if !utf8.ValidString(rel) || strings.ContainsFunc(rel, unicode.IsControl) {
		return // it cannot be written into the input box
	}
	folder := rel[:strings.LastIndexByte(rel, '/')+1]
	same := 0 // bytes of the folders that are known
	for i := range min(len(folder), len(p.folder)) {
		if folder[i] != p.folder[i] {
			break
		}
		if folder[i] == '/' {
			same = i + 1
		}
	}
	for i := same; i < len(folder); i++ {
		if folder[i] == '/' && len(p.all) < MaxFiles {
			p.all = append(p.all, folder[:i+1])
		}
	}
	p.folder = folder
	if len(p.all) < MaxFiles {
		p.all = append(p.all, rel)
	}
}
