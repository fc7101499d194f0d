package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/proctree"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
)

const (
	// MaxImage bounds an image of the clipboard, in bytes.
	MaxImage = 10 << 20
	// clipboardWait bounds all programs that read the clipboard once. PowerShell needs some seconds to start.
	clipboardWait = 15 * time.Second
	// outputWait bounds the wait for the output of a program that has ended.
	outputWait = time.Second
)

// Clipboard reads images and files from the clipboard of the system, through programs that the
// system or the user has installed.
type Clipboard struct {
	GOOS   string // as [runtime.GOOS]
	Getenv func(string) string
	Home   string // the user's home
}

// Read returns the image in the clipboard, or the files. It takes at most 15 seconds. The error says
// which program is missing, or that the clipboard holds neither.
func (c *Clipboard) Read(ctx context.Context) ([]composer.Attachment, error) {
	ctx, cancel := context.WithTimeout(ctx, clipboardWait)
	defer cancel()
	s, err := c.source()
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(s.program); err != nil {
		return nil, failed("Clipboard.Read", "", fmt.Errorf("%s is not installed, which reads the clipboard", s.program), s.install)
	}
	kinds := ""
	if s.kinds != nil {
		out, err := run(ctx, s.program, s.kinds)
		if err != nil && ctx.Err() != nil {
			return nil, stopped(ctx, s)
		}
		kinds = string(out)
	}
	if files := c.files(ctx, s, kinds); len(files) > 0 {
		return files, nil
	}
	image, err := c.image(ctx, s, kinds)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, stopped(ctx, s)
	case errors.Is(err, errTooLarge):
		return nil, failed("Clipboard.Read", "", errors.New("the image in the clipboard is larger than 10 MiB"), "save it smaller, and paste the path of the file")
	case len(image) == 0:
		return nil, &fault.Error{
			Op: "exchange.Clipboard.Read", Kind: fault.NotFound, Err: errors.New("the clipboard holds no image and no file"),
			Hint: "paste text with the key of your terminal",
		}
	}
	return []composer.Attachment{{MIME: imageType(image), Data: image, Image: true}}, nil
}

// stopped is why a program was killed: it took too long, or the caller did not wait for it.
func stopped(ctx context.Context, s *source) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return &fault.Error{Op: "exchange.Clipboard.Read", Kind: fault.Canceled, Err: ctx.Err()}
	}
	return failed("Clipboard.Read", "", fmt.Errorf("%s did not end in %v, and was killed", s.program, clipboardWait), "save the image, and paste the path of the file")
}

// image is the image in the clipboard; nil if there is none.
func (c *Clipboard) image(ctx context.Context, s *source, kinds string) ([]byte, error) {
	args := s.image(kinds)
	if args == nil {
		return nil, nil
	}
	out, err := run(ctx, s.program, args)
	if err != nil {
		return nil, err
	}
	if s.decode != nil {
		out = s.decode(out)
	}
	switch {
	case len(out) > MaxImage:
		return nil, errTooLarge
	case imageType(out) == "":
		return nil, nil
	}
	return out, nil
}

// files are the files that were copied in a window of files.
func (c *Clipboard) files(ctx context.Context, s *source, kinds string) (files []composer.Attachment) {
	args := s.files(kinds)
	if args == nil {
		return nil
	}
	out, err := run(ctx, s.program, args)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(out[:min(len(out), maxDrop)]) {
		line = bytes.TrimSpace(line)
		if f, ok := file(string(line), c.Home); ok && len(files) < maxFiles {
			files = append(files, f)
		}
	}
	return files
}

var errTooLarge = errors.New("it is too large")

// run returns what a program prints: at most what an image of [MaxImage] takes as text.
func run(ctx context.Context, program string, args []string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = outputWait
	proctree.KillWhole(cmd)
	out := &bounded{}
	cmd.Stdout = out
	err := cmd.Run()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	if out.more {
		return nil, errTooLarge
	}
	return out.text.Bytes(), err
}

// bounded keeps what is written to it, up to a bound.
type bounded struct {
	text bytes.Buffer
	more bool
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	room := 2*MaxImage + 1024 - b.text.Len()
	b.more = b.more || len(p) > room
	b.text.Write(p[:min(room, len(p))])
	return len(p), nil
}

const (
	// maxTmux bounds the text that tmux is given, in bytes: terminals take about so much from it.
	maxTmux = 74_991
	// tmuxWait bounds the wait for tmux, which answers at once.
	tmuxWait = 3 * time.Second
)

// CopyInTmux gives a text to tmux, if the program runs in it, and reports whether tmux has put it into
// its buffer and sent it to the clipboard of the terminal around it. Programs inside cannot do that
// themselves: since version 2.6, tmux ignores their sequence (OSC 52) unless set-clipboard is "on".
// Versions before 3.2 do not have it.
func (c *Clipboard) CopyInTmux(ctx context.Context, text string) bool {
	if c.Getenv("TMUX") == "" || len(text) > maxTmux {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, tmuxWait)
	defer cancel()
	// With "off", versions up to 3.5 send it all the same, and later ones say nothing.
	if set, err := run(ctx, "tmux", []string{"show-options", "-sv", "set-clipboard"}); err != nil || strings.TrimSpace(string(set)) == "off" {
		return false
	}
	cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
	cmd.WaitDelay = outputWait
	proctree.KillWhole(cmd)
	cmd.Stdin = strings.NewReader(text)
	return cmd.Run() == nil
}
