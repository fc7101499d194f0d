//go:build unix

package shell_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/shell"
)

const mib = 1 << 20

func TestUpToAMegabyteIsWhole(t *testing.T) {
	s, dir := open(t, shell.Options{})
	got := run(t, s, dir, fmt.Sprintf("yes 1234567 | head -c %d", mib)).Output
	if want := strings.Repeat("1234567\n", mib/8); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

func TestFlood(t *testing.T) {
	s, dir := open(t, shell.Options{})
	const all = 100 * mib
	got := run(t, s, dir, fmt.Sprintf("echo first; yes 1234567 | head -c %d; echo last", all-11)).Output
	note := regexp.MustCompile(`\n\[(\d+) bytes left out here; the first (\d+) bytes of the output are in (.*)\]\n`).FindStringSubmatch(got)
	if note == nil {
		t.Fatalf("no remark in %d bytes, which begin %.100q", len(got), got)
	}
	if !strings.HasPrefix(got, "first\n1234567\n") || !strings.HasSuffix(got, "last\n") || len(got) != mib+len(note[0]) {
		t.Errorf("%d bytes from %.20q to %q", len(got), got, got[len(got)-20:])
	}
	if note[1] != fmt.Sprint(all-mib) || note[2] != fmt.Sprint(10*mib) {
		t.Errorf("the remark is %q", note[0])
	}
	file, err := os.ReadFile(note[3])
	if err != nil || len(file) != 10*mib || !strings.HasPrefix(string(file), "first\n1234567\n1234567\n") {
		t.Errorf("the file has %d bytes, %v", len(file), err)
	}
	for i, line := range strings.Split(string(file[6:]), "\n") {
		if line != "1234567" && 6+8*i < len(file)-8 {
			t.Fatalf("line %d of the file is %q", i, line)
		}
	}
}

// A late reader gets the output that is kept, and the number of bytes that are not.
func TestReadInPieces(t *testing.T) {
	s, dir := open(t, shell.Options{})
	x := start(t, s, dir, "stty -echo -onlcr; printf ready; for i in 1 2 3; do read; yes $i | head -c 4000000; done; echo end")
	x.until("ready")
	for range 3 {
		x.types("{enter}")
	}
	for x.last.Running {
		x.take(s.Read(t.Context(), x.id, enough))
	}
	lost := 0
	for _, note := range regexp.MustCompile(`\n\[(\d+) bytes left out here; .*\]\n`).FindAllStringSubmatch(x.said, -1) {
		var n int
		fmt.Sscan(note[1], &n)
		lost += n
		x.said = strings.Replace(x.said, note[0], "", 1)
	}
	if got, want := lost+len(x.said), 12_000_009; got != want || !strings.HasSuffix(x.said, "3\nend\n") {
		t.Errorf("%d bytes with those left out, want %d; it ends %q", got, want, x.said[len(x.said)-10:])
	}
}

// The streamed pieces are the whole output, in order, and never cut a character.
func TestListener(t *testing.T) {
	s, dir := open(t, shell.Options{})
	var heard strings.Builder
	r, err := s.Run(t.Context(), shell.Command{
		Text: `for i in 1 2 3 4 5 6; do printf '\303'; sleep 0.05; printf '\244\033['; sleep 0.06; printf '1m%d' $i; done`,
		Dir:  dir, Mode: shell.Sync, Wait: enough, OnOutput: func(text string) {
			if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
				t.Errorf("a piece is %q", text)
			}
			heard.WriteString(text)
		},
	})
	if want := "ä1ä2ä3ä4ä5ä6"; err != nil || r.Output != want || heard.String() != want {
		t.Errorf("heard %q, then %q, %v; want %q", heard.String(), r.Output, err, want)
	}
}

// A slow OnOutput delays neither the command nor other calls.
func TestSlowListener(t *testing.T) {
	s, dir := open(t, shell.Options{})
	stuck, free := make(chan struct{}), make(chan struct{})
	done := make(chan shell.Report)
	go func() {
		first := true
		r, _ := s.Run(t.Context(), shell.Command{
			Text: "echo a; yes | head -c 3000000; touch done", Dir: dir, Mode: shell.Sync, Wait: enough,
			OnOutput: func(text string) {
				if len(text) > 33<<10 {
					t.Errorf("a piece of %d bytes", len(text))
				}
				if first {
					first = false
					close(stuck)
					<-free
				}
			},
		})
		done <- r
	}()
	<-stuck
	for {
		if r := run(t, s, dir, "cat done 2>&1"); r.Code == 0 {
			break
		}
	}
	close(free)
	if r := <-done; r.Code != 0 || !strings.HasPrefix(r.Output, "a\ny\n") {
		t.Errorf("%d, %.20q", r.Code, r.Output)
	}
}

func TestWhatCannotRun(t *testing.T) {
	s, dir := open(t, shell.Options{})
	for name, c := range map[string]shell.Command{
		"nothing":            {Text: " \n"},
		"a NUL":              {Text: "echo \x00"},
		"very long":          {Text: "echo " + strings.Repeat("x", 200_000)},
		"a name with a path": {Text: "true", Shell: "../a"},
		"a name of dots":     {Text: "true", Shell: ".."},
		"a long name":        {Text: "true", Shell: strings.Repeat("a", 65)},
	} {
		c.Dir, c.Mode, c.Wait = dir, shell.Sync, time.Second
		if r, err := s.Run(t.Context(), c); err == nil {
			t.Errorf("%s: %+v", name, r)
		}
	}
	long := "echo " + strings.Repeat("x", 120_000)
	if r := run(t, s, dir, long); r.Output != long[5:]+"\n" {
		t.Errorf("a long command that can run: %d bytes, %d", len(r.Output), r.Code)
	}
	if r := start(t, s, dir, long+" >/dev/null"); r.last.Running {
		r.ends(0, "")
	}
}

// A panic of OnOutput is an error of Run. The command runs to its end, and the shell
// takes the next one.
func TestListenerThatPanics(t *testing.T) {
	s, dir := open(t, shell.Options{})
	_, err := s.Run(t.Context(), shell.Command{
		Text: "echo one; touch ended", Dir: dir, Mode: shell.Sync, Wait: enough, OnOutput: func(string) { panic("boom") },
	})
	if fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "panic: boom") {
		t.Errorf("Run = %v, want the panic", err)
	}
	if r := run(t, s, dir, "ls ended"); r.Output != "ended\n" {
		t.Errorf("the next command shows %q", r.Output)
	}
}
