package server_test

import (
	"context"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/sidestick-dev/sidestick/internal/gate"
	"github.com/sidestick-dev/sidestick/internal/server"
	"github.com/sidestick-dev/sidestick/internal/session/registry"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// A client that sends the head of a message and its body apart, as the SDKs for Node and Python do, does not wait for
// the delayed acknowledgement of the head.
func TestARequestInTwoPiecesIsNotDelayed(t *testing.T) {
	l, client := dialled(t)
	ctx, stop := context.WithCancel(t.Context())
	var serving sync.WaitGroup
	defer serving.Wait()
	defer stop()
	s := server.New(server.Options{Gate: gate.One("", &server.Home{Sessions: registry.New(registry.Options{})})})
	serving.Go(func() { _ = s.Listen(ctx, l, wire.ProtocolVersion) })
	if err := client.(*net.TCPConn).SetNoDelay(false); err != nil { // Go's default is not that of Node and Python
		t.Fatal(err)
	}
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	fastest := time.Hour
	for n := range 50 {
		begin := time.Now()
		for _, piece := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", len(ping)), ping} {
			if _, err := client.Write([]byte(piece)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := client.Read(make([]byte, 1<<10)); err != nil {
			t.Fatal(err)
		}
		if n >= 30 { // the system is prompt in the beginning of a connection
			fastest = min(fastest, time.Since(begin))
		}
	}
	if fastest > 30*time.Millisecond {
		t.Errorf("the fastest of 20 pings takes %v", fastest)
	}
}
