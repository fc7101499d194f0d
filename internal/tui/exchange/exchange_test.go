//go:build unix

package exchange

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

const png = "\x89PNG\r\n\x1a\nand the rest of it"

// setenv is the variables of a test.
func setenv(vars ...string) func(string) string {
	return func(name string) string {
		for _, v := range vars {
			if value, ok := strings.CutPrefix(v, name+"="); ok {
				return value
			}
		}
		return ""
	}
}

// install puts programs, as shell scripts, into a folder that is all of PATH. Their output is in files,
// because the folder has no other program.
func install(t *testing.T, scripts map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for name, script := range scripts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\ncd "+dir+"\n"+script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestEditor(t *testing.T) {
	e, err := NewEdit("draft\n", setenv("EDITOR=vi", "VISUAL='my editor' --wait \"a b\""))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	path := e.Command[len(e.Command)-1]
	if diff := cmp.Diff([]string{"my editor", "--wait", "a b", path}, e.Command); diff != "" {
		t.Error("-want +got:\n" + diff)
	}
	for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	for in, want := range map[string]string{"a\r\nb\r\n": "a\nb", "a\n\n": "a\n", "a": "a", "": "", "\ufeffa\n": "a"} {
		write(t, path, in)
		if got, err := e.Text(); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	write(t, path, strings.Repeat("x", maxEdited+1))
	if _, err := e.Text(); err == nil {
		t.Error("a text over the bound was read")
	}
	e.Close()
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := e.Text(); err == nil {
		t.Error("a removed file was read")
	}
}

// Without a variable it is vi, as in git, and then nano.
func TestTheUsualEditor(t *testing.T) {
	for _, installed := range []map[string]string{{"nano": "", "vi": ""}, {"nano": ""}} {
		dir := install(t, installed)
		want := "nano"
		if len(installed) > 1 {
			want = "vi"
		}
		e, err := NewEdit("", setenv("EDITOR= "))
		if err != nil {
			t.Fatal(err)
		}
		e.Close()
		if e.Command[0] != filepath.Join(dir, want) {
			t.Errorf("the editor is %q, want %s", e.Command, want)
		}
	}
}

func TestEditorIsMissing(t *testing.T) {
	install(t, nil)
	for env, want := range map[string]string{
		"":              "no editor is set",
		"EDITOR= ":      "no editor is set",
		"EDITOR='vi -w": "a quote is not closed in 'vi -w",
	} {
		_, err := NewEdit("", setenv(env))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", env, err)
		}
	}
}

func TestPasted(t *testing.T) {
	dir := t.TempDir()
	shot, text := filepath.Join(dir, "a b.png"), filepath.Join(dir, "it's.txt")
	write(t, shot, png)
	write(t, text, "text")
	image := composer.Attachment{Name: "a b.png", Path: shot, MIME: "image/png", Image: true}
	file := composer.Attachment{Name: "it's.txt", Path: text}
	for pasted, want := range map[string][]composer.Attachment{
		shot: {image},
		strings.ReplaceAll(shot, " ", `\ `) + " \n":      {image},
		"'" + shot + "' \"" + text + `"`:                 {image, file},
		"file://" + strings.ReplaceAll(shot, " ", "%20"): {image},
		`~/it\'s.txt`:                    {file},
		"~/it's.txt":                     {file},
		shot + " and more":               nil,
		dir:                              nil,
		filepath.Join(dir, "none.png"):   nil,
		"it's.txt":                       nil,
		"":                               nil,
		"/\x00":                          nil,
		"'" + shot:                       nil,
		"file://%zz":                     nil,
		strings.Repeat("/", maxDrop+1):   nil,
		strings.Repeat("./x ", maxFiles): nil,
	} {
		if diff := cmp.Diff(want, Pasted(pasted, dir)); diff != "" {
			t.Errorf("%.80q: -want +got:\n%s", pasted, diff)
		}
	}
}

func TestSplitOnWindows(t *testing.T) {
	got, ok := split(`"C:\Program Files\ed.exe" -w C:\x`, true)
	if diff := cmp.Diff([]string{`C:\Program Files\ed.exe`, "-w", `C:\x`}, got); diff != "" || !ok {
		t.Error("-want +got:\n" + diff)
	}
}

func TestImageType(t *testing.T) {
	for data, want := range map[string]string{
		png: "image/png", "\xff\xd8\xff\xe0": "image/jpeg", "GIF89a": "image/gif", "RIFF\x01\x02\x03\x04WEBPVP8 ": "image/webp",
		"RIFF\x01\x02\x03\x04WAVE": "", "RIFF": "", "": "", "text": "",
	} {
		if got := imageType([]byte(data)); got != want {
			t.Errorf("%q: %q, want %q", data, got, want)
		}
	}
}

// Each program is asked as it wants to be asked, and its output is read.
func TestClipboard(t *testing.T) {
	for name, tc := range map[string]struct {
		goos, env, program, script string
	}{
		"wayland": {"linux", "WAYLAND_DISPLAY=wayland-0", "wl-paste", `case "$*" in
--list-types) echo text/plain; echo image/png;;
"--no-newline --type image/png") printf '\211PNG\r\n\032\nand the rest of it';;
*) exit 1;; esac`},
		"x11": {"linux", "DISPLAY=:0", "xclip", `case "$*" in
"-selection clipboard -t TARGETS -o") echo TIMESTAMP; echo image/png;;
"-selection clipboard -t image/png -o") printf '\211PNG\r\n\032\nand the rest of it';;
*) exit 1;; esac`},
		"mac":     {"darwin", "", "osascript", `case "$2" in *furl*) exit 1;; esac; echo "«data PNGf` + hex.EncodeToString([]byte(png)) + `»"`},
		"windows": {"windows", "", "powershell", `case "$5" in *FileDrop*) exit 0;; esac; printf '` + base64.StdEncoding.EncodeToString([]byte(png)) + `\r\n'`},
		"wsl":     {"linux", "WSL_DISTRO_NAME=Debian", "powershell.exe", `case "$5" in *FileDrop*) exit 0;; esac; echo ` + base64.StdEncoding.EncodeToString([]byte(png))},
	} {
		install(t, map[string]string{tc.program: tc.script})
		c := Clipboard{GOOS: tc.goos, Getenv: setenv(tc.env)}
		got, err := c.Read(t.Context())
		want := []composer.Attachment{{MIME: "image/png", Data: []byte(png), Image: true}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, -want +got:\n%s", name, err, diff)
		}
		install(t, nil)
		if _, err := c.Read(t.Context()); err == nil || !strings.Contains(err.Error(), tc.program+" is not installed") {
			t.Errorf("%s without its program: %v", name, err)
		}
	}
}

func TestClipboardOfFiles(t *testing.T) {
	dir := install(t, map[string]string{"wl-paste": `case "$*" in
--list-types) echo text/uri-list;;
*) printf 'file://'"$PWD"'/a%%20b.txt\r\nfile://'"$PWD"'/none\r\n';; esac`})
	write(t, filepath.Join(dir, "a b.txt"), "text")
	c := Clipboard{GOOS: "linux", Getenv: setenv("WAYLAND_DISPLAY=wayland-0")}
	got, err := c.Read(t.Context())
	want := []composer.Attachment{{Name: "a b.txt", Path: filepath.Join(dir, "a b.txt")}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
}

func TestClipboardFails(t *testing.T) {
	wayland := setenv("WAYLAND_DISPLAY=wayland-0")
	for name, tc := range map[string]struct {
		getenv func(string) string
		script string
		want   string
		kind   fault.Kind
	}{
		"no display": {setenv(), "", "there is no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set", fault.Unavailable},
		"only text":  {wayland, "echo text/plain", "the clipboard holds no image and no file", fault.NotFound},
		"empty":      {wayland, "echo No selection >&2; exit 1", "the clipboard holds no image and no file", fault.NotFound},
		"no image":   {wayland, "echo image/png", "the clipboard holds no image and no file", fault.NotFound},
		"too large": {wayland, `case "$1" in --list-types) echo image/png; exit;; esac
printf '\211PNG\r\n\032\n'; x=0123456789abcdef; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x; x=$x$x$x$x
i=0; while [ $i -lt 50 ]; do printf %s $x; i=$((i+1)); done`, "the image in the clipboard is larger than 10 MiB", fault.Unavailable},
	} {
		install(t, map[string]string{"wl-paste": tc.script})
		c := Clipboard{GOOS: "linux", Getenv: tc.getenv}
		_, err := c.Read(t.Context())
		if err == nil || !strings.Contains(err.Error(), tc.want) || fault.KindOf(err) != tc.kind {
			t.Errorf("%s: %v", name, err)
		}
	}
	install(t, map[string]string{"wl-paste": "while :; do :; done"})
	c := Clipboard{GOOS: "linux", Getenv: wayland}
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := c.Read(ctx); err == nil || !strings.Contains(err.Error(), "wl-paste did not end in") {
		t.Errorf("a program that hangs: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if _, err := c.Read(ctx); fault.KindOf(err) != fault.Canceled {
		t.Errorf("interrupted: %v", err)
	}
}

// A name after an @ is attached if the folder has such a file.
func TestMentioned(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	write(t, filepath.Join(dir, "main.go"), "package main")
	write(t, filepath.Join(dir, "my notes.md"), "notes")
	write(t, filepath.Join(out, "secret"), "x")
	if err := errors.Join(os.Mkdir(filepath.Join(dir, "cmd"), 0o700), os.Symlink(filepath.Join(out, "secret"), filepath.Join(dir, "lnk"))); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"see @main.go":                                "main.go",
		"see (@main.go), please":                      "main.go",
		"@main.go\n@main.go.":                         "main.go",
		"@\"my notes.md\" @cmd/":                      "my notes.md cmd/",
		"me@main.go @none @":                          "",
		"@lnk @../x @/etc/passwd @" + out + "/secret": "",
	} {
		var got []string
		list, warning := Mentioned(text, dir)
		if strings.HasPrefix(warning, "no such file in this folder, so it is only text: @../x, @/etc/passwd, ") != strings.Contains(text, "@../x") {
			t.Errorf("%s: %s", text, warning)
		}
		for _, f := range list {
			got = append(got, f.Name)
			if f.Path != filepath.Join(dir, f.Name) || f.Folder != (f.Name == "cmd/") {
				t.Errorf("%s: %+v", text, f)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got, _ := Mentioned(strings.Repeat("@main.go ", 1000), dir); len(got) != 1 {
		t.Errorf("%d files", len(got))
	}
}

// Files that are too many for a message are named.
func TestMentionsThatAreTooMany(t *testing.T) {
	dir := t.TempDir()
	text := func(n int) (all string) {
		for i := range n {
			name := fmt.Sprintf("f%03d", i)
			write(t, filepath.Join(dir, name), "x")
			all += "@" + name + " "
		}
		return all
	}
	for n, want := range map[int]string{
		20:  "",
		22:  "a message names at most 20 files with @; not attached: @f020, @f021",
		30:  "a message names at most 20 files with @; not attached: @f020, @f021, @f022, @f023, @f024, and 5 more",
		202: "a message names at most 20 files with @; not attached: @f020, @f021, @f022, @f023, @f024, and 175 more; the first 200 words after an @ are looked at, and not the 2 after them",
	} {
		if got, warning := Mentioned(text(n), dir); len(got) != min(n, 20) || warning != want {
			t.Errorf("of %d files, %d are attached, and the warning is %q, want %q", n, len(got), warning, want)
		}
	}
}

// In tmux the text is handed to tmux, unless it may not set the clipboard or does not know how.
func TestCopyInTmux(t *testing.T) {
	for name, tc := range map[string]struct {
		env, script string
		size        int
		want        bool
	}{
		"external":      {"TMUX=/tmp/tmux-0/default,1,0", `case "$1" in show-options) echo external;; load-buffer) test "$*" = "load-buffer -w -" && /bin/cat >copied;; esac`, 10, true},
		"off":           {"TMUX=/tmp/tmux-0/default,1,0", `case "$1" in show-options) echo off;; load-buffer) /bin/cat >copied;; esac`, 10, false},
		"an older one":  {"TMUX=/tmp/tmux-0/default,1,0", `case "$1" in show-options) echo external;; *) echo usage >&2; exit 1;; esac`, 10, false},
		"too long":      {"TMUX=/tmp/tmux-0/default,1,0", `case "$1" in show-options) echo on;; load-buffer) /bin/cat >copied;; esac`, maxTmux + 1, false},
		"another shell": {"", `/bin/cat >copied`, 10, false},
	} {
		dir := install(t, map[string]string{"tmux": tc.script})
		c := Clipboard{GOOS: "linux", Getenv: setenv(tc.env)}
		text := strings.Repeat("x", tc.size)
		got := c.CopyInTmux(t.Context(), text)
		copied, _ := os.ReadFile(filepath.Join(dir, "copied")) // there is none without a copy
		if got != tc.want || tc.want != (string(copied) == text) {
			t.Errorf("%s: %v, copied %d bytes", name, got, len(copied))
		}
	}
}
