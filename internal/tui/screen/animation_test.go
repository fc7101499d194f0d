package screen

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/sidestick-dev/sidestick/internal/terminal"
	"github.com/sidestick-dev/sidestick/internal/tui/input"
	"github.com/sidestick-dev/sidestick/internal/tui/row"
)

// program is the variable that makes the test binary a program that runs in a terminal. Try it:
//
//	go test -c -o /tmp/screen.test ./internal/tui/screen && SIDESTICK_SCREEN_PROGRAM=1 /tmp/screen.test
const program = "SIDESTICK_SCREEN_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(program) != "" {
		if err := animate(); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// animation is a program with live rows as wide as the terminal, which change all the time, and
// final rows. The key s makes it still, m makes it move again, f prints a final row, t shows live rows that
// fill the screen, without a cursor, o and c show and close an overlay,
// e gives the terminal away until Enter, z stops the process, q ends it.
type animation struct {
	screen      *Screen
	ticks       int
	still, tall bool
	final, sent int // rows
}

func animate() error {
	tty, err := terminal.Open(os.Getenv)
	if err != nil {
		return err
	}
	s, err := Open(tty, os.Getenv)
	if err != nil {
		return err
	}
	defer s.Restore()
	s.kind.rest = 2 * time.Second // tmux is slow on a busy machine
	keys, stop, err := tty.Keys()
	if err != nil {
		return err
	}
	defer func() { stop() }()
	resizes, end := terminal.Resizes()
	defer end()
	var d input.Decoder
	a := animation{screen: s}
	for tick := time.NewTicker(30 * time.Millisecond); ; {
		var due <-chan time.Time
		if at, waits := s.Due(); waits {
			due = time.After(time.Until(at))
		}
		select {
		case <-tick.C:
			a.tick()
		case <-resizes:
			s.Resized(time.Now())
		case <-due:
		case p, ok := <-keys:
			if !ok {
				return nil
			}
			for _, ev := range d.Feed(p, time.Now()) {
				k, _ := ev.(input.Key)
				switch k.Name {
				case "q":
					return nil
				case "e", "z":
					if keys, stop, err = a.giveAway(k.Name, tty, stop); err != nil {
						return err
					}
				default:
					a.key(k.Name)
				}
			}
		}
		if err := a.paint(); err != nil {
			return err
		}
	}
}

func (a *animation) tick() {
	if !a.still {
		if a.ticks++; a.ticks%3 == 0 {
			a.final++
		}
	}
}

func (a *animation) key(name string) {
	switch name {
	case "s", "m":
		a.still = name == "s"
	case "f":
		a.final++
	case "t":
		a.tall = true
	case "o":
		_ = a.screen.Overlay(texts("overlay", strings.Repeat("=", 200)), Cursor{Row: 1, Column: 3, Shown: true})
	case "c":
		_ = a.screen.EndOverlay()
	}
}

// giveAway lets another program, or the shell, have the terminal.
func (a *animation) giveAway(key string, tty *terminal.TTY, stop func()) (<-chan []byte, func(), error) {
	stop()
	err := a.screen.Suspend()
	if key == "z" {
		err = errors.Join(err, terminal.Stop())
	} else {
		cmd := exec.Command("sh", "-c", `echo reading; read line </dev/tty; echo "read $line"`)
		cmd.Stdout = os.Stdout
		err = errors.Join(err, cmd.Run())
	}
	if err = errors.Join(err, a.screen.Resume()); err != nil {
		return nil, stop, err
	}
	return tty.Keys()
}

func (a *animation) paint() error {
	columns, rows := a.screen.Size()
	var f Frame
	for ; a.sent < a.final; a.sent++ {
		f.Final = append(f.Final, row.Text(finalRow(a.sent)))
	}
	f.Live = texts(liveRows(a.ticks, columns, a.still)...)
	f.Cursor = Cursor{Row: 2, Column: 4, Shown: true}
	if a.tall {
		f.Live, f.Cursor = texts(tallRows(columns, rows)...), Cursor{}
	}
	return a.screen.Paint(f, time.Now())
}

// finalRow is short, as wide as a terminal of 80 columns, or wider.
func finalRow(n int) string {
	return fmt.Sprintf("final %d", n) + []string{"", strings.Repeat(" x", 35), strings.Repeat("y", 100), " 漢字"}[n%4]
}

func liveRows(ticks, columns int, still bool) []string {
	state := "moving"
	if still {
		state = "still"
	}
	fill := func(text string) string { return text + strings.Repeat("-", max(columns-len(text), 0)) }
	return []string{
		fill(fmt.Sprintf("live %s %d", state, ticks)),
		fill("+"),
		"| > typed" + strings.Repeat(" ", max(columns-10, 0)) + "|",
		fill("+"),
		fill(fmt.Sprintf("status %d ", ticks)),
	}
}

// tallRows fill a screen of that size.
func tallRows(columns, rows int) (out []string) {
	for n := range rows - 1 {
		text := fmt.Sprintf("tall %d of %d ", n, columns)
		out = append(out, text+strings.Repeat("-", max(columns-1-len(text), 0)))
	}
	return out
}
