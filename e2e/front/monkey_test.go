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

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
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
		d.answers(r, done)
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

// something does one thing, and returns what.
func (d *desk) something(r *rand.Rand) string {
	switch n := r.IntN(100); {
	case n < 4:
		text := pasted[r.IntN(len(pasted))]
		d.pastes(text)
		return fmt.Sprintf("paste %.20q", text)
	case n < 7:
		columns, rows := 1+r.IntN(120), 1+r.IntN(50)
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

// answers checks that the program lives, or starts it again if it was asked to leave.
func (d *desk) answers(r *rand.Rand, done []string) {
	d.t.Helper()
	d.write("\x1b[201~")
	// The count is taken before the resize: the program may answer at once.
	d.mu.Lock()
	n := len(d.written)
	d.mu.Unlock()
	d.resizes(60+r.IntN(40), 20+r.IntN(20))
	ended := false
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
	if ended {
		d.sane(done)
		d.start()
		d.empty()
	}
}

// sane fails if the program has ended otherwise than by being asked to. Otherwise a Ctrl-C
// came when the terminal was restored already: the exit code is 3, or the signal ends the program.
func (d *desk) sane(done []string) {
	d.t.Helper()
	status := d.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if bad := forbidden.Find(d.written); bad != nil {
		d.t.Errorf("after %q the program has written %q", done, bad)
	}
	if code := status.ExitStatus(); code != 0 && code != 3 && status.Signal() != syscall.SIGINT || bytes.Contains(d.written, []byte("goroutine ")) {
		d.t.Fatalf("after %q the program has ended with %d:\n%.3000s", done, code, d.all())
	}
}
