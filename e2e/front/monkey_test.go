package front_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
)

var (
	monkeyTime = flag.Duration("front.monkey", 4*time.Second, "how long random keys are pressed")
	monkeySeed = flag.Uint64("front.seed", 0, "which random keys; 0: others each time")
)

// handful are keys that a monkey presses: no redirections of the shell, and neither Ctrl-Z, which
// waits for a shell, nor Ctrl-\.
var handful = strings.Fields("a b é 漢 👍🏽 / @ ? ! y n q 1 2 j k g G [ ] enter enter enter esc esc tab tab up down left right home end pgup pgdown backspace shift+tab alt+enter " +
	"ctrl+a ctrl+b ctrl+c ctrl+d ctrl+e ctrl+f ctrl+g ctrl+k ctrl+l ctrl+n ctrl+o ctrl+p ctrl+r ctrl+t ctrl+u ctrl+v ctrl+w ctrl+x ctrl+y alt+b alt+d alt+f alt+p alt+s alt+_ alt+esc")

// pasted are texts that a monkey pastes.
var pasted = []string{"text", "two\nlines", strings.Repeat("line\n", 300), "\x1b[31mred\x1b[0m\x07", "/help", strings.Repeat("漢", 500), "\xff\xfe"}

// raw is bytes that no key sends.
var raw = []string{"\x1b[", "\x1b[200~", "\x1b[201~", "\x1b]11;rgb:ffff/ffff/ffff\x1b\\", "\x1b[I", "\x1b[O", "\x1b[99999;99999R", "\x1b_", "\x00", "\xc3", "\x1b[1;5D", "\x1b[97;5u"}

// replies are those of a model for a monkey: each may come at any time.
func replies() []modeltest.Reply {
	rolls := make(chan int, 1)
	rolls <- 0
	nth := func(n, of int) func(*modeltest.Request) bool {
		return func(*modeltest.Request) bool {
			i := <-rolls
			if i%of == n {
				rolls <- i + 1
				return true
			}
			rolls <- i
			return false
		}
	}
	list := []modeltest.Reply{
		{Pieces: words(60), Gap: time.Millisecond},
		touch("one"),
		{Text: "# Title\n\n| a | b |\n|---|---|\n| 1 | 漢 |\n\n```go\nfunc main() {}\n```\n\n- one\n- two\n"},
		call("ask_user", `{"question":"Which?","choices":["red","blue"]}`),
		{Reasoning: strings.Repeat("thinking ", 40), Text: "Thought.\x1b[2J\x1b]0;title\x07"},
		call("bash", `{"command":"for i in 1 2 3 4 5 6 7 8 9; do echo line $i; done","description":"Count"}`),
		modeltest.Failure(400, "bad", "no"),
		call("exit_plan_mode", `{"summary":"A plan"}`),
	}
	for i := range list {
		list[i].Repeat, list[i].When = true, nth(i, len(list))
	}
	return list
}

// Whatever is pressed, pasted and dragged: the program does not panic, answers, keeps its cursor on
// the screen, writes nothing that it must not, and leaves when it is asked to.
func TestMonkey(t *testing.T) {
	t.Parallel()
	seed := *monkeySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("again: -front.seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	d := newDesk(t, replies()...)
	d.env = []string{"EDITOR=true", "VISUAL=true"}
	d.start()
	d.empty()
	done := make([]string, 0, 64) // the last actions
	began, count := time.Now(), 0
	for time.Since(began) < *monkeyTime {
		for range 40 {
			done = append(done[max(len(done)-40, 0):], d.something(r))
			count++
		}
		if d.answers(r, done) {
			d.sane(done)
			d.start()
			d.empty()
		}
	}
	t.Logf("%d actions", count)
	for i := 0; ; i++ {
		d.press("ctrl+c")
		select {
		case <-d.ended:
			d.sane(done)
			return
		case <-time.After(200 * time.Millisecond):
		}
		if time.Duration(i)*200*time.Millisecond > 2*patience {
			t.Fatalf("the program does not leave; the screen:\n%s", d.now())
		}
	}
}

// widest is the widest terminal that a monkey makes.
const widest = 120

// something does one thing, and returns what.
func (d *desk) something(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 4:
		text := pasted[r.IntN(len(pasted))]
		d.pastes(text)
		return fmt.Sprintf("paste %.20q", text)
	case n < 7:
		columns, rows := 1+r.IntN(widest), 1+r.IntN(50)
		d.resizes(columns, rows)
		return fmt.Sprintf("resize %dx%d", columns, rows)
	case n < 10:
		b := raw[r.IntN(len(raw))]
		d.write(b)
		return fmt.Sprintf("raw %q", b)
	default:
		k := handful[r.IntN(len(handful))]
		d.press(k)
		return k
	}
}

// answers checks that the program lives, and reports whether it has ended.
func (d *desk) answers(r *rand.Rand, done []string) (ended bool) {
	d.t.Helper()
	d.write("\x1b[201~")
	// The count is taken before the resize: the program may answer at once.
	d.mu.Lock()
	n := len(d.written)
	d.mu.Unlock()
	d.resizes(d.otherWidth(r), 20+r.IntN(20))
	d.until(fmt.Sprintf("an answer after %q", done), func() bool {
		select {
		case <-d.ended:
			ended = true
			return true
		default:
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.written) > n
	})
	return ended
}

// otherWidth is a width that something does not choose, and that the last check has not chosen: the
// program, which may have missed the sizes between, sees another one for certain.
func (d *desk) otherWidth(r *rand.Rand) int {
	width := widest + 1 + r.IntN(40)
	if width == d.checked {
		width++
	}
	d.checked = width
	return width
}

// sane fails if the program has ended otherwise than by being asked to, or has left the terminal
// otherwise than it was before. A Ctrl-C that came when the terminal was restored already gives exit
// code 3, or ends the program by its signal.
func (d *desk) sane(done []string) {
	d.t.Helper()
	status := d.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if code := status.ExitStatus(); code != 0 && code != 3 && status.Signal() != syscall.SIGINT || bytes.Contains(d.written, []byte("goroutine ")) {
		d.t.Errorf("the program has ended with %d:\n%.3000s", code, d.all())
	}
	d.checkWritten()
	if d.t.Failed() {
		d.t.Fatalf("it was asked for %q, and ended by %v; the last that it has written: %q", done, status, d.written[max(len(d.written)-3000, 0):])
	}
}
