package model

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
)

func TestOnlySoManyConnectionsAreOpenedAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		under, done := 0, make(chan struct{})
		failed := errors.New("refused")
		d := atMost(3, func(context.Context, string, string) (net.Conn, error) {
			under++
			<-done
			return nil, failed
		})
		ctx, cancel := context.WithCancel(t.Context())
		errs := make(chan error, 10)
		for range 10 {
			go func() { _, err := d(ctx, "tcp", "model.test:80"); errs <- err }()
			synctest.Wait()
		}
		if under != 3 {
			t.Errorf("%d connections are being opened, want 3", under)
		}
		done <- struct{}{}
		synctest.Wait()
		if err := <-errs; err != failed || under != 4 {
			t.Errorf("after one has ended with %v, %d were begun, want 4", err, under)
		}
		cancel()
		for range 6 {
			if err := <-errs; !errors.Is(err, context.Canceled) {
				t.Errorf("who waited got %v, want the end of its context", err)
			}
		}
		close(done)
	})
}
