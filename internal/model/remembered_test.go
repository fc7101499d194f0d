package model

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// One connection that breaks may have many reasons, so a program that runs for days tries WebSockets again.
func TestWebSocketsAreTriedAgainLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m remembered
		overSocket := func() bool {
			ep, r := Endpoint{WebSocket: true, OrHTTP: true}, Request{}
			m.apply("key", &ep, &r)
			return ep.WebSocket
		}
		m.learn("key", []fix{{kind: RepairHTTP}, {kind: RepairTokensName}}, &Request{})
		if overSocket() {
			t.Error("the next call goes over a WebSocket")
		}
		time.Sleep(overHTTPFor + time.Second)
		if !overSocket() {
			t.Errorf("after %v, calls still go over HTTP", overHTTPFor)
		}
		if kept := m.fixes["key"]; len(kept) != 1 || kept[0].kind != RepairTokensName {
			t.Errorf("the other repairs are %v", kept)
		}
	})
}

// A network that does not work says nothing about WebSockets.
func TestANetworkThatFailsIsNoReasonForHTTP(t *testing.T) {
	var calls sockets
	req, err := http.NewRequest(http.MethodGet, "ws://127.0.0.1:1/", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := calls.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	if err == nil || connected(err) {
		t.Errorf("a connection that is refused counts as a connection: %v", err)
	}
}
