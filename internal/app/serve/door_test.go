package serve

import (
	"testing"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/wiring"
	"github.com/sidestick-dev/sidestick/internal/config"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// The bound of --max-answers is that of the HTTP server.
func TestMaxAnswersBoundsTheServer(t *testing.T) {
	s := &Server{Options: &cli.Options{Sys: cli.System{FS: vfs.NewMem()}}}
	cfg := config.Config{
		Answers: config.Setting[int]{Value: 7, From: "flag --max-answers"}, Home: config.Setting[string]{Value: "/home"},
	}
	opts, err := s.chatOptions(&wiring.Process{}, &wiring.Home{Config: cfg})
	if err != nil || opts.Answers != 7 {
		t.Errorf("the server answers %d requests at the same time (%v), want 7", opts.Answers, err)
	}
}
