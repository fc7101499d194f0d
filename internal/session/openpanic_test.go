package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// A panic while a session is created or resumed, here of the disk at each operation in turn,
// is the error of that command, or does no harm. The next command opens the session, and the
// registry closes.
func TestAPanicWhileASessionIsOpened(t *testing.T) {
	for name, open := range map[string]func(d *desk) (*session.Client, error){
		"created": func(d *desk) (*session.Client, error) { return d.reg.Create(context.Background(), brief, nil) },
		"resumed": func(d *desk) (*session.Client, error) { return d.reg.Resume(context.Background(), brief, nil, nil) },
	} {
		for at, reached := 1, true; reached; at++ {
			t.Run(fmt.Sprint(name, " ", at), func(t *testing.T) {
				var left atomic.Int64 // operations until the panic, and that one; 0: none
				disk := vfs.Fail(vfs.NewMem(), func(op vfs.Op) error {
					if strings.Contains(op.Path, "/s1") && left.Load() > 0 && left.Add(-1) == 0 {
						panic("the disk is broken at " + op.Name + " of " + op.Path)
					}
					return nil
				})
				inBubble(t, disk, func(d *desk) {
					if name == "resumed" {
						d.create(brief).talk("one")
						d.stop()
						d.start(d.opts)
					}
					synctest.Wait() // until nothing of before uses the disk
					left.Store(int64(at))
					c, err := open(d)
					if reached = left.Swap(0) == 0; err == nil { // it can do without that operation
						d.sit(c).talk("two")
						return
					}
					if fault.KindOf(err) != fault.Internal || !strings.Contains(err.Error(), "the disk is broken") || strings.Contains(err.Error(), "_test.go") {
						t.Errorf("the error is %v, want the panic without its stack", err)
					}
					c, err = d.reg.Resume(context.Background(), brief, nil, nil)
					if name == "created" && err != nil && fault.KindOf(err) == fault.NotFound {
						c, err = d.reg.Create(context.Background(), brief, nil)
					}
					if err != nil {
						t.Fatalf("opening it again = %v", err)
					}
					d.sit(c).talk("two")
				}, modeltest.Reply{Text: "ok", Repeat: true})
			})
		}
	}
}
