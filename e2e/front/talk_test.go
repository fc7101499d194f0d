package front_test

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/model/modeltest"
)

func TestFirst(t *testing.T) {
	d := sit(t, modeltest.Reply{Text: "Hello, **Ann**."})
	t.Log("\n" + d.now())
	d.says("I am Ann.")
	d.shows("Hello, Ann.")
	d.idle()
	t.Log("\n" + d.now())
	d.leave()
	t.Log("\n" + d.all())
}
