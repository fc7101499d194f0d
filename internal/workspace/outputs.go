package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// outputsFolder holds outputs of tools that are too long for one result.
	outputsFolder = "temp"
	// maxOutputs and maxOutputBytes bound the outputs of one session; the oldest are removed
	// first.
	maxOutputs     = 200
	maxOutputBytes = 200 << 20
	// outputMark is part of the name of each file, after the time.
	outputMark = "-copilot-tool-output-"
)

// SaveOutput stores the output of a tool and returns its path for programs. The newest 200
// are kept, and at most 200 MiB. The file survives the process, but perhaps not a power
// failure.
func (w *Workspace) SaveOutput(ctx context.Context, text string) (at string, err error) {
	return SaveOutput(ctx, w.files, outputsFolder, text)
}

// SaveOutput does the same as [Workspace.SaveOutput] in any folder, for a client that
// chooses its own. "." is the root of files. Other files in the folder are not changed.
func SaveOutput(ctx context.Context, files Files, folder, text string) (at string, err error) {
	name := fmt.Sprintf("%d%s%s.txt", time.Now().UnixMilli(), outputMark, strconv.FormatUint(rand.Uint64(), 36))
	full := path.Join(folder, name)
	if at = files.Path(full); at == "" {
		return "", errors.New("no program on this machine could read it")
	}
	if _, err := files.Write(ctx, full, []byte(text), Derived); err != nil {
		return "", err
	}
	removeOldest(ctx, files, folder, name, int64(len(text)))
	return at, nil
}

// removeOldest removes the oldest outputs beyond the limits, but never the one just written.
// Files that cannot be removed now are removed after the next output.
func removeOldest(ctx context.Context, files Files, folder, written string, size int64) {
	list, err := files.List(ctx, folder, maxListed)
	if err != nil {
		return
	}
	old := slices.DeleteFunc(list, func(f Info) bool { return f.Name == written || savedAt(f.Name) == 0 })
	slices.SortFunc(old, func(a, b Info) int {
		return cmp.Or(cmp.Compare(savedAt(b.Name), savedAt(a.Name)), strings.Compare(b.Name, a.Name))
	})
	count, bytes := 1, size
	for _, f := range old {
		count, bytes = count+1, bytes+f.Size
		if count > maxOutputs || bytes > maxOutputBytes {
			_ = files.Remove(ctx, path.Join(folder, f.Name))
		}
	}
}

// savedAt returns the time in an output's name; 0 for other files.
func savedAt(name string) int64 {
	ms, _, ok := strings.Cut(name, outputMark)
	n, err := strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil {
		return 0
	}
	return n
}
