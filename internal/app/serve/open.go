package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
)

// Door is a way into the sessions of this process: a protocol that it speaks with clients.
type Door interface {
	// Name says what it is for, in the log.
	Name() string
	// Serve serves the clients that l accepts, until ctx ends or there will be no more of them. It owns l, and returns
	// when it serves nobody any more.
	Serve(ctx context.Context, l net.Listener) error
	// Drain gives back what the door still holds of the sessions. It is called once, after Serve or instead of it, and
	// returns when ctx is done, at the latest: what it has not given back ends with the sessions.
	Drain(ctx context.Context) error
}

// Opening is a door with where it is.
type Opening struct {
	Door Door
	// Address is where it listens. "": it needs no listener, and Serve gets nil.
	Address string
	// Flag chooses another port; an error names it.
	Flag string
	// Announce is called when all doors listen, with the address of this one. nil: nothing is announced.
	Announce func(net.Addr) error
}

// drainWait bounds how long the doors are drained, all together. SDKs give a server 10 seconds to exit: the answers of
// chats have 3 of them to say that it ends, and the sessions [wiring.FlushWait], whatever the doors have left of them.
const drainWait = time.Second

// Open serves at all doors until ctx ends, which is their normal end and no error, or until the first of them ends. It
// listens at all of them before it serves at any, or returns why it cannot. When it returns, all doors are drained, in
// their order and within a second after they serve nobody any more; the sessions are still there.
func Open(ctx context.Context, doors []Opening) (err error) {
	defer func() {
		late, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWait)
		defer cancel()
		for _, o := range doors {
			err = errors.Join(err, o.Door.Drain(late))
		}
	}()
	listeners, err := listen(ctx, doors)
	if err != nil {
		return err
	}
	for n, o := range doors {
		if o.Announce == nil {
			continue
		}
		if err := o.Announce(listeners[n].Addr()); err != nil {
			return errors.Join(err, closeAll(listeners))
		}
	}
	return serveAll(ctx, doors, listeners)
}

// listen listens at all doors, or at none. A door without an address has a nil listener.
func listen(ctx context.Context, doors []Opening) ([]net.Listener, error) {
	all := make([]net.Listener, len(doors))
	for n, o := range doors {
		if o.Address == "" {
			continue
		}
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.Address)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("cannot listen: %w (choose another %s, or none for any free one)", err, o.Flag), closeAll(all))
		}
		all[n] = l
	}
	return all, nil
}

func closeAll(listeners []net.Listener) (err error) {
	for _, l := range listeners {
		if l != nil {
			err = errors.Join(err, l.Close())
		}
	}
	return err
}

// serveAll serves until ctx ends, or the first door does, and then until all have ended. The error is that of the first
// one, unless ctx ended before it.
func serveAll(ctx context.Context, doors []Opening, listeners []net.Listener) error {
	serving, end := context.WithCancel(ctx)
	defer end()
	var first error
	var once sync.Once
	var all sync.WaitGroup
	for n, o := range doors {
		all.Go(func() {
			err := fault.Guard("serve "+o.Door.Name(), func() error { return o.Door.Serve(serving, listeners[n]) })
			once.Do(func() {
				if ctx.Err() == nil {
					first = err
				}
			})
			end()
		})
	}
	all.Wait()
	return first
}
