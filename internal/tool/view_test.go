package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidestick-dev/sidestick/internal/tool"
)

func TestView(t *testing.T) {
	long := "x" + strings.Repeat("é", 1500)
	files := map[string]string{
		"five.txt": "1\n2\n3\n4\n5\n", "open.txt": "a\nb", "empty.txt": "", "crlf.txt": "a\r\nb\r\n", "bom.txt": "\ufeffa\n",
		"bad.txt": "a\xffb", "long.txt": long + "\nnext", "nul.bin": "\x7fELF\x00\x01", "folder/a.txt": "", "folder/.hidden": "",
		"folder/sub/b.txt": "", "folder/B.txt": "", "void/": "", "~": "tilde",
	}
	for _, tc := range []struct{ name, args, want string }{
		{"all of a file", `{"path":"five.txt"}`, "1. 1\n2. 2\n3. 3\n4. 4\n5. 5\n6. "},
		{"no final newline", `{"path":"open.txt"}`, "1. a\n2. b"},
		{"an empty file", `{"path":"empty.txt"}`, "1. "},
		{"Windows line ends", `{"path":"crlf.txt"}`, "1. a\n2. b\n3. "},
		{"a byte order mark", `{"path":"bom.txt"}`, "1. a\n2. "},
		{"bytes that are not UTF-8", `{"path":"bad.txt"}`, "1. a\ufffdb"},
		{"a long line is cut between characters", `{"path":"long.txt"}`, "1. " + long[:1999] + " [1002 more bytes in this line]\n2. next"},
		{"one line", `{"path":"five.txt","view_range":[2,2]}`, "2. 2"},
		{"to the end", `{"path":"five.txt","view_range":[5,-1]}`, "5. 5\n6. "},
		{"beyond the end", `{"path":"five.txt","view_range":[5,100]}`, "5. 5\n6. "},
		{"only beyond the end", `{"path":"five.txt","view_range":[7,9]}`, "view_range starts at line 7, but ${workdir}/five.txt has only 6 lines."},
		{"from line 0", `{"path":"five.txt","view_range":[0,9]}`, "view_range [0 9] starts before line 1; lines are counted from 1"},
		{"backwards", `{"path":"five.txt","view_range":[3,2]}`, "view_range [3 2] ends before it starts; use -1 for the end of the file"},
		{"an end of -2", `{"path":"five.txt","view_range":[3,-2]}`, "view_range [3 -2] ends before it starts; use -1 for the end of the file"},
		{"one number", `{"path":"five.txt","view_range":[3]}`, "view_range has 1 numbers; it takes two, the first and the last line, for example [1, 50]"},
		{"a folder", `{"path":"folder"}`, ".hidden\nB.txt\na.txt\nsub/"},
		{"a folder with a range", `{"path":"folder","view_range":[1,2]}`, "${workdir}/folder is a folder; view_range is for files. Call view without it."},
		{"an empty folder", `{"path":"void/"}`, "The folder ${workdir}/void is empty."},
		{"a binary file", `{"path":"nul.bin"}`, "${workdir}/nul.bin is a binary file (application/octet-stream, 6 bytes) and cannot be shown as text. A shell command such as file, xxd or strings can look into it."},
		{"below a file", `{"path":"five.txt/x"}`, "Path ${workdir}/five.txt/x does not exist. Please provide a valid path."},
		{"nothing", `{"path":""}`, "the path is empty; give the path of a file or folder"},
		{"the home folder", `{"path":"~/x"}`, `"~/x": ~ is not expanded; give an absolute path`},
		{"a file called tilde", `{"path":"./~"}`, "1. tilde"},
		{"a NUL", `{"path":"a\u0000b"}`, `"a\x00b": a path cannot hold a NUL character`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := newPlace(t, files)
			r := p.run(t, "view", tc.args)
			if got := p.out(r.Text); got != tc.want {
				t.Errorf("view %s:\n%q\nwant\n%q", tc.args, got, tc.want)
			}
			if numbered := strings.Contains(tc.want, ". ") && tc.want[1] == '.'; numbered && r.Outcome != tool.Success {
				t.Errorf("the outcome is %s", r.Outcome)
			}
		})
	}
}

// A PDF is shown whole; it used to be refused as a binary file, or shown as garbled text.
func TestViewPDF(t *testing.T) {
	for _, data := range []string{"%PDF-1.4\n1 0 obj", "%PDF-1.7\n\x00\x01"} {
		p := newPlace(t, map[string]string{"a.pdf": data})
		r := p.run(t, "view", `{"path":"a.pdf"}`)
		want := []tool.File{{Path: filepath.Join(p.cwd, "a.pdf"), MediaType: "application/pdf", Data: []byte(data)}}
		if diff := cmp.Diff(want, r.Files); diff != "" || r.Outcome != tool.Success || !strings.Contains(r.Text, "pdftotext") {
			t.Errorf("%s: %s\n%s", r.Outcome, r.Text, diff)
		}
	}
	p := newPlace(t, map[string]string{"large.pdf": "%PDF-1.4"})
	if err := os.Truncate(filepath.Join(p.cwd, "large.pdf"), 10<<20+1); err != nil {
		t.Fatal(err)
	}
	if r := p.run(t, "view", `{"path":"large.pdf"}`); r.Outcome != tool.Failure || r.Files != nil || !strings.Contains(r.Text, "is a PDF of 10485761 bytes; at most 10485760 can be viewed") {
		t.Errorf("%s: %s", r.Outcome, r.Text)
	}
}

func TestViewImages(t *testing.T) {
	for kind, data := range map[string]string{
		"image/png": "\x89PNG\r\n\x1a\n", "image/jpeg": "\xff\xd8\xff\xe0", "image/gif": "GIF89a\x00", "image/webp": "RIFF\x00\x00\x00\x00WEBPVP",
	} {
		p := newPlace(t, map[string]string{"picture": data})
		r := p.run(t, "view", `{"path":"picture"}`)
		want := []tool.File{{Path: filepath.Join(p.cwd, "picture"), MediaType: kind, Data: []byte(data)}}
		if diff := cmp.Diff(want, r.Files); diff != "" || r.Text != "Viewed image file successfully." {
			t.Errorf("%s: %s\n%s", kind, r.Text, diff)
		}
	}
	p := newPlace(t, map[string]string{"large": "\x89PNG\r\n\x1a\n"})
	if err := os.Truncate(filepath.Join(p.cwd, "large"), 20<<20+1); err != nil {
		t.Fatal(err)
	}
	r := p.run(t, "view", `{"path":"large"}`)
	if r.Outcome != tool.Failure || r.Files != nil || !strings.Contains(r.Text, "is an image of 20971521 bytes; at most 20971520 can be viewed") {
		t.Errorf("%s: %s", r.Outcome, r.Text)
	}
}

// A file that is too long for one answer is read on where the last one stopped,
// and nothing between is lost.
func TestViewReadsOn(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "this is line %d\n", i+1)
	}
	p := newPlace(t, map[string]string{"long.txt": text.String()})
	next := 1
	for calls, args := 0, `{"path":"long.txt"}`; args != ""; calls++ {
		r := p.run(t, "view", args)
		if r.Outcome != tool.Success || len(r.Text) > tool.SpillLimit || calls > 20 {
			t.Fatalf("call %d: %s, %d bytes", calls, r.Outcome, len(r.Text))
		}
		args = ""
		for line := range strings.SplitSeq(r.Text, "\n") {
			var from, to int
			if _, span, ok := strings.Cut(line, "To read on: view_range "); ok {
				if _, err := fmt.Sscanf(span, "[%d, %d]", &from, &to); err != nil || from != next {
					t.Fatalf("it says %q, and the next line is %d", line, next)
				}
				args = fmt.Sprintf(`{"path":"long.txt","view_range":[%d,-1]}`, from)
				break
			}
			if want := fmt.Sprintf("%d. this is line %d", next, next); line != want && next != 20_001 {
				t.Fatalf("line %q, want %q", line, want)
			}
			next++
		}
	}
	if next != 20_002 {
		t.Errorf("%d lines were shown, want 20001", next-1)
	}
}

// A line of 100 MB costs no more than its visible part.
func TestViewLargeFiles(t *testing.T) {
	p := newPlace(t, map[string]string{"line": strings.Repeat("x", 9000)})
	if err := os.Truncate(filepath.Join(p.cwd, "line"), 100<<20); err != nil { // a hole of NULs: it takes no room
		t.Fatal(err)
	}
	got := p.run(t, "view", `{"path":"line"}`).Text
	if want := "1. " + strings.Repeat("x", 2000) + " [104855600 more bytes in this line]"; got != want {
		t.Errorf("%.100q … %q", got, got[max(0, len(got)-60):])
	}
}

func TestViewWithoutRights(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may read everything")
	}
	p := newPlace(t, map[string]string{"closed.txt": "x"})
	os.Chmod(filepath.Join(p.cwd, "closed.txt"), 0)
	if got := p.out(p.run(t, "view", `{"path":"closed.txt"}`).Text); got != "${workdir}/closed.txt: the operating system does not allow it (permission denied)" {
		t.Error(got)
	}
}

func TestViewManyEntries(t *testing.T) {
	p := newPlace(t, nil)
	for i := range 2001 {
		put(t, filepath.Join(p.cwd, fmt.Sprintf("%04d", i)), "", false)
	}
	got := p.run(t, "view", `{"path":"."}`).Text
	if !strings.HasPrefix(got, "0000\n0001\n") || !strings.HasSuffix(got, "1999\n[2000 of 2001 names are shown. Use glob with a pattern to find what you need.]") {
		t.Errorf("…%s", got[len(got)-200:])
	}
}
