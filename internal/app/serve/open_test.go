package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sidestick-dev/sidestick/internal/app/wiring"
)

// record has what happens at doors, in order.
type record struct {
	mu  sync.Mutex
	did []string
}

func (r *record) add(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.did = append(r.did, what)
}

// fake is a door that serves until it is told to end.
type fake struct {
	*record
	name    string
	serving chan struct{}
	ends    chan error
}

func (f fake) Name() string { return f.name }

func (f fake) Serve(ctx context.Context, l net.Listener) error {
	if l != nil {
		defer l.Close()
	}
	close(f.serving)
	select {
	case err := <-f.ends:
		f.add(f.name + " ended")
		return err
	case <-ctx.Done():
		f.add(f.name + " was ended")
		return ctx.Err()
	}
}

func (f fake) Drain(context.Context) error {
	f.add(f.name + " drained")
	return nil
}

// opening is one of a fake at an address of this machine.
func (r *record) opening(name, address string) (Opening, fake) {
	f := fake{r, name, make(chan struct{}), make(chan error, 1)}
	return Opening{Door: f, Address: address, Flag: "--" + name, Announce: func(at net.Addr) error {
		r.add(name + " announced")
		conn, err := net.Dial("tcp", at.String()) // it listens already
		if err != nil {
			return err
		}
		return conn.Close()
	}}, f
}

// What ends one door ends all of them: an error, a signal, or that its only client has left.
func TestDoorsOpenAndEndTogether(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  func(first fake, signal func())
		err  string
		did  string // once all serve
	}{
		{"a signal", func(_ fake, signal func()) { signal() }, "<nil>", "a was ended"},
		{"an error", func(first fake, _ func()) { first.ends <- errors.New("broken") }, "broken", "a ended"},
		{"the last client", func(first fake, _ func()) { first.ends <- nil }, "<nil>", "a ended"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, signal := context.WithCancel(t.Context())
			defer signal()
			r := new(record)
			first, a := r.opening("a", "127.0.0.1:0")
			second, b := r.opening("b", "127.0.0.1:0")
			ended := make(chan error)
			go func() { ended <- Open(ctx, []Opening{first, second}) }()
			<-a.serving
			<-b.serving
			tc.end(a, signal)
			if err := fmt.Sprint(<-ended); err != tc.err {
				t.Errorf("Open = %s, want %s", err, tc.err)
			}
			slices.Sort(r.did[2:4])
			if got, want := strings.Join(r.did, ", "), "a announced, b announced, "+tc.did+", b was ended, a drained, b drained"; got != want {
				t.Errorf("what happened: %s\nwant: %s", got, want)
			}
		})
	}
}

// If one door cannot listen, none does, and nothing is announced.
func TestDoorsListenAllOrNone(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	r := new(record)
	first, _ := r.opening("a", address)
	second, _ := r.opening("b", taken.Addr().String())
	err = Open(t.Context(), []Opening{first, second})
	if err == nil || !strings.Contains(err.Error(), "cannot listen: ") || !strings.Contains(err.Error(), "choose another --b, or none for any free one") {
		t.Errorf("Open = %v", err)
	}
	if got := strings.Join(r.did, ", "); got != "a drained, b drained" {
		t.Errorf("what happened: %s", got)
	}
	again, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatalf("the first door still listens: %v", err)
	}
	_ = again.Close()
}

// A door over the standard streams needs no listener.
func TestADoorWithoutAddress(t *testing.T) {
	r := new(record)
	_, f := r.opening("a", "")
	f.ends <- nil
	if err := Open(t.Context(), []Opening{{Door: f}}); err != nil {
		t.Error(err)
	}
}

// slow is a door that neither ends nor is drained at once.
type slow struct {
	serving, ends, left chan struct{}
}

func (slow) Name() string { return "slow" }

func (d slow) Serve(ctx context.Context, _ net.Listener) error {
	close(d.serving)
	<-ctx.Done()
	close(d.ends)
	<-d.left
	return ctx.Err()
}

func (slow) Drain(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// The error of a door is not lost if a signal comes while the others end.
func TestAnErrorBeforeASignal(t *testing.T) {
	ctx, signal := context.WithCancel(t.Context())
	r := new(record)
	_, a := r.opening("a", "")
	b := slow{make(chan struct{}), make(chan struct{}), make(chan struct{})}
	ended := make(chan error)
	go func() { ended <- Open(ctx, []Opening{{Door: a}, {Door: b}}) }()
	<-a.serving
	<-b.serving
	a.ends <- errors.New("broken")
	<-b.ends
	signal()
	close(b.left)
	if err := fmt.Sprint(<-ended); err != "broken" {
		t.Errorf("Open = %s, want what has ended the first door", err)
	}
}

// However many doors cannot be drained: with the 3 seconds of answers and [wiring.FlushWait], the end takes less than
// the 10 seconds that SDKs give a server.
func TestDoorsAreDrainedWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, signal := context.WithCancel(t.Context())
		signal()
		var doors []Opening
		for range 3 {
			d := slow{make(chan struct{}), make(chan struct{}), make(chan struct{})}
			close(d.left)
			doors = append(doors, Opening{Door: d})
		}
		began := time.Now()
		if err := Open(ctx, doors); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took > time.Second || 3*time.Second+took+wiring.FlushWait >= 10*time.Second {
			t.Errorf("the doors are drained after %s", took)
		}
	})
}
