package dialtest

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"testing"
)

// Names has every name stand for the first of some IPv4 addresses when it is first looked up, for
// the next one at the next time, and then for the last one, until the test ends. The names are looked
// up by [net.DefaultResolver], which it replaces: tests that run at the same time must not look up names.
// It returns how often a name was looked up.
func Names(t testing.TB, addresses ...string) (asked func() int) {
	t.Helper()
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	count := 0
	next := func() netip.Addr {
		mu.Lock()
		defer mu.Unlock()
		count++
		return netip.MustParseAddr(addresses[min(count, len(addresses))-1])
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		query := make([]byte, 512)
		for {
			n, from, err := udp.ReadFrom(query)
			if err != nil {
				return // it is closed
			}
			_, _ = udp.WriteTo(answer(query[:n], next), from) // who asked may have left
		}
	}()
	before := net.DefaultResolver
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", udp.LocalAddr().String())
	}}
	t.Cleanup(func() {
		net.DefaultResolver = before
		_ = udp.Close() // ends the goroutine
		<-ended
	})
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return count
	}
}

// answer is the answer to a query of DNS with one question: an address for one of the type A, nothing
// for another. Source: RFC 1035, section 4.
func answer(query []byte, next func() netip.Addr) []byte {
	const header, typeA = 12, 1
	end := header
	for end < len(query) && query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the end of the name, type and class
	if end > len(query) {
		return nil
	}
	out := append([]byte{}, query[:end]...)
	binary.BigEndian.PutUint16(out[2:], 0x8180) // an answer without an error
	copy(out[6:header], make([]byte, 6))        // of no records
	if binary.BigEndian.Uint16(query[end-4:]) != typeA {
		return out
	}
	out[7] = 1
	out = append(out, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4) // for the name in the question, not to be kept
	address := next().As4()
	return append(out, address[:]...)
}
