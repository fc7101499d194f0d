package exchange

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

const (
	// maxDrop bounds a pasted text that is taken for paths, in bytes, and maxFiles its paths.
	maxDrop  = 16 << 10
	maxFiles = 100
)

// Pasted returns the files that a pasted text names, if it names nothing else: paths as terminals
// paste them for files that are dropped, quoted, with backslashes, or as file addresses. Only a path
// with a folder counts: a word that is the name of a file by chance is a word. home stands for ~.
func Pasted(text, home string) []composer.Attachment {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxDrop || !strings.ContainsAny(text, `/\`) {
		return nil
	}
	if f, ok := file(text, home); ok {
		return []composer.Attachment{f}
	}
	words, ok := split(text, runtime.GOOS == "windows")
	if !ok || len(words) > maxFiles {
		return nil
	}
	var files []composer.Attachment
	for _, w := range words {
		f, ok := file(w, home)
		if !ok {
			return nil
		}
		files = append(files, f)
	}
	return files
}

// file is the attachment of a path, if that is a regular file.
func file(path, home string) (composer.Attachment, bool) {
	if u, err := url.Parse(path); err == nil && u.Scheme == "file" {
		path = filepath.FromSlash(u.Path)
		if runtime.GOOS == "windows" {
			path = strings.TrimPrefix(path, `\`)
		}
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		path = filepath.Join(home, rest)
	}
	if !strings.ContainsAny(path, `/\`) || strings.ContainsAny(path, "\n\x00") {
		return composer.Attachment{}, false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return composer.Attachment{}, false
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	mime := imageOf(path)
	return composer.Attachment{Name: filepath.Base(path), Path: path, MIME: mime, Image: mime != ""}, true
}

// split divides a text into words as a shell does. On Windows a backslash is a part of a path. ok is
// false if a quote is not closed.
func split(s string, windows bool) (words []string, ok bool) {
	var b strings.Builder
	var quote rune
	inside, escaped := false, false
	for _, r := range s {
		switch {
		case escaped:
			b.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'' && !windows:
			escaped, inside = true, true
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			b.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inside = r, true
		case r == ' ' || r == '\n' || r == '\t':
			if inside {
				words = append(words, b.String())
			}
			b.Reset()
			inside = false
		default:
			b.WriteRune(r)
			inside = true
		}
	}
	if inside {
		words = append(words, b.String())
	}
	return words, quote == 0 && !escaped
}
