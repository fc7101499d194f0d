package tool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// SpillLimit is the most bytes of a result's text that a model reads at once,
	// unless the session says otherwise.
	SpillLimit = 50 << 10
	// preview is how many characters of a larger one it sees.
	preview = 500
	// maxSpilled and maxSpilledBytes bound what is kept of one session; the oldest go
	// first.
	maxSpilled      = 200
	maxSpilledBytes = 200 << 20
	// spillMark is in the name of each file, after the time.
	spillMark = "-copilot-tool-output-"
	// spillHint is what to do with the file. A fact of the protocol: recordings of
	// real conversations match it to the letter.
	spillHint = "Consider using tools like grep (for searching), head/tail (for viewing start/end), view with view_range (for specific sections), or jq (for JSON) to examine portions of the output."
)

// Spill puts the text of a result that is longer than limit bytes into a file of
// dir, the folder temp/ of a session, and gives the model the place and the first
// characters of it. A limit of 0 is [SpillLimit]. dir is made if it is not there.
// Of the files in it the newest 200 are kept, and at most 200 MB.
//
// If the file cannot be written the text is cut at the limit and says so. What
// a person sees and everything else of the result stays as it is.
func Spill(dir string, r Result, limit int) Result {
	if limit <= 0 {
		limit = SpillLimit
	}
	if len(r.Text) <= limit {
		return r
	}
	size := float64(len(r.Text)) / 1024
	path, err := spill(dir, r.Text)
	if err != nil {
		r.Text = cut(r.Text, limit) + noted("The output has %.1f KB; the rest could not be saved to a file (%v) and is lost. Call the tool again in a way that answers with less.", size, err)
		return r
	}
	r.Text = fmt.Sprintf("Output too large to read at once (%.1f KB). Saved to: %s\n%s\n\nPreview (first %d chars):\n%s", size, path, spillHint, preview, firstRunes(r.Text, preview))
	return r
}

func spill(dir, text string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	name := fmt.Sprintf("%d%s%s.txt", time.Now().UnixMilli(), spillMark, strconv.FormatUint(rand.Uint64(), 36))
	path := filepath.Join(dir, name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		os.Remove(path)
		return "", err
	}
	thin(dir, name)
	return path, nil
}

// thin removes the oldest outputs beyond the bounds, never the one just written.
// Files of others in the folder are not touched.
func thin(dir, written string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the next one will
	}
	var old []fs.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && info.Mode().IsRegular() && e.Name() != written && savedAt(e.Name()) > 0 {
			old = append(old, info)
		}
	}
	slices.SortFunc(old, func(a, b fs.FileInfo) int {
		return cmp.Or(cmp.Compare(savedAt(b.Name()), savedAt(a.Name())), strings.Compare(b.Name(), a.Name()))
	})
	count, bytes := 1, int64(0)
	if info, err := os.Stat(filepath.Join(dir, written)); err == nil {
		bytes = info.Size()
	}
	for _, info := range old {
		count, bytes = count+1, bytes+info.Size()
		if count > maxSpilled || bytes > maxSpilledBytes {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// savedAt is when an output was saved, by its name; 0 if it is not one of ours.
func savedAt(name string) int64 {
	ms, _, ok := strings.Cut(name, spillMark)
	n, err := strconv.ParseInt(ms, 10, 64)
	if !ok || err != nil {
		return 0
	}
	return n
}

// cut returns the first n bytes of s, less what would be half a character.
func cut(s string, n int) string {
	at := n
	for at > max(0, n-utf8.UTFMax) && !utf8.RuneStart(s[at]) {
		at--
	}
	return s[:at]
}

// firstRunes returns the first n characters of s.
func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
