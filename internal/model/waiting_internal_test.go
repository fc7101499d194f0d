package model

import "testing"

// A call that ends while the end of another one is told to the waiting calls hears nothing after its own end.
func TestACallThatHasEndedHearsOfNoOther(t *testing.T) {
	var fs flights
	var second *flight
	ended := false
	ep := &Endpoint{BaseURL: "http://localhost:8080/v1"}
	first := fs.begin(ep, nil)
	first.told = func(Waiting) {
		first.heard.Store(true) // it waits no longer, so the end of the second call is no news for it
		second.end()
		ended = true
	}
	second = fs.begin(ep, func(Waiting) {
		if ended {
			t.Error("the second call was told of another one after its end")
		}
	})
	fs.begin(ep, nil).end()
	if !ended {
		t.Error("the first call was not told of the end of the third")
	}
	second.accepted()
}
