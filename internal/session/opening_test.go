package session_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/testing/modeltest"
	"github.com/sidestick-dev/sidestick/internal/vfs"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// held is a Resolve that waits on /slow until it is released.
func held() (resolve func(string) string, release func()) {
	gate := make(chan struct{})
	return func(path string) string {
		if path == "/slow" {
			<-gate
		}
		return filepath.Clean(path)
	}, sync.OnceFunc(func() { close(gate) })
}

// Two clients resume a session at once, and the first asks for something that cannot
// be: the second is not refused for that.
func TestAResumeDoesNotFailForAnotherClientsReason(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.create(brief).talk("hi")
		d.stop()
		resolve, release := held()
		d.start(registry.Options{Resolve: resolve})
		bad := brief
		bad.MoreDirectories, bad.Agent = []string{"/slow"}, "nobody"
		first, second := make(chan error, 1), make(chan error, 1)
		go func() { _, err := d.reg.Resume(context.Background(), bad, nil, nil); first <- err }()
		synctest.Wait()
		go func() { _, err := d.reg.Resume(context.Background(), brief, nil, nil); second <- err }()
		synctest.Wait()
		release()
		if err := <-first; err == nil || !strings.Contains(err.Error(), "nobody") {
			t.Errorf("the first resume: %v, want that there is no such agent", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the second resume failed: %v", err)
		}
	}, modeltest.Reply{Text: "hello"})
}

// A registry that closes while a session is being created waits for that session, and
// closes it.
func TestCloseWaitsForASessionThatIsBeingCreated(t *testing.T) {
	inBubble(t, vfs.NewMem(), func(d *desk) {
		d.stop()
		resolve, release := held()
		d.start(registry.Options{Resolve: resolve})
		slow := brief
		slow.MoreDirectories = []string{"/slow"}
		created, closed := make(chan *session.Client, 1), make(chan error, 1)
		go func() {
			c, err := d.reg.Create(context.Background(), slow, nil)
			if err != nil {
				t.Errorf("Create: %v", err)
			}
			created <- c
		}()
		synctest.Wait()
		go func() { closed <- d.reg.Close(context.Background()) }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Close returned while a session was being created")
		default:
		}
		release()
		c := <-created
		if err := <-closed; err != nil {
			t.Errorf("Close: %v", err)
		}
		select {
		case <-c.Session().Closed():
		default:
			t.Error("the session is open after Close")
		}
	})
}

// A run that a late resume goes on with ends as the registry does: Close aborts it, and Suspend leaves it for the
// next resume.
func TestALateSessionEndsAsTheRegistryDoes(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(*registry.Registry) error
		want int // how many session.shutdown the log has then
	}{
		"Close":   {func(r *registry.Registry) error { return r.Close(context.Background()) }, 1},
		"Suspend": {func(r *registry.Registry) error { return registry.Suspend(context.Background(), r) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, vfs.NewMem(), func(d *desk) {
				s := d.create(brief)
				s.send("go")
				s.until("assistant.turn_start")
				d.crash()
				d.stop()
				resolve, release := held()
				d.start(registry.Options{Resolve: resolve})
				slow := brief
				slow.SessionID, slow.ContinuePendingWork, slow.MoreDirectories = "s1", true, []string{"/slow"}
				resumed, ended := make(chan error, 1), make(chan error, 1)
				go func() {
					_, err := d.reg.Resume(context.Background(), slow, nil, nil)
					resumed <- err
				}()
				synctest.Wait()
				go func() { ended <- tc.end(d.reg) }()
				synctest.Wait()
				release()
				if err := errors.Join(<-resumed, <-ended); err != nil {
					t.Fatal(err)
				}
				if n := count(d.stored("s1"), "session.shutdown"); n != tc.want {
					t.Errorf("the log has %d session.shutdown, want %d: %s", n, tc.want, types(d.stored("s1")))
				}
			}, modeltest.Silent(), modeltest.Silent())
		})
	}
}

// The model is switched while the attachments of a message are read: what is recorded
// is made for the model that gets it.
func TestAttachmentsAreReadForTheModelThatGetsThem(t *testing.T) {
	slow := func(op vfs.Op) error {
		if op.Path == "/work/a.txt" {
			return &vfs.Slow{For: time.Second}
		}
		return nil
	}
	disk := vfs.NewMem()
	if err := disk.MkdirAll("/work", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := vfs.WriteFileAtomic(disk, "/work/a.txt", []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	inBubble(t, vfs.Fail(disk, slow), func(d *desk) {
		cfg := brief
		cfg.Model = "extension:https://agent.example"
		s := d.create(cfg)
		sent := make(chan error, 1)
		go func() {
			_, err := s.s.Send(context.Background(), wire.Send{
				Prompt: "Read it.", Attachments: []byte(`[{"type":"file","path":"/work/a.txt","displayName":"a.txt"}]`),
			})
			sent <- err
		}()
		time.Sleep(time.Second / 4) // the file is being read
		if err := s.s.Settings().SwitchModel(context.Background(), wire.ModelSwitch{ModelID: "m"}); err != nil {
			t.Fatalf("SwitchModel: %v", err)
		}
		if err := <-sent; err != nil {
			t.Fatalf("Send: %v", err)
		}
		s.until("session.idle")
		if e := last(t, s.rest(), "user.message"); strings.Contains(string(e.Data), `"agent":`) || !strings.Contains(string(e.Data), "<current_datetime>") {
			t.Errorf("the message is %s, want it as a model reads it", e.Data)
		}
	}, modeltest.Reply{Text: "hello"})
}
