package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/app/cli"
	"github.com/sidestick-dev/sidestick/internal/app/entry"
	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/prompt"
	"github.com/sidestick-dev/sidestick/internal/session"
	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/exchange"
	"github.com/sidestick-dev/sidestick/internal/vfs"
)

// The bounds of the files of --attach, in bytes: text is sent whole, and of more the model would get only the beginning.
const (
	maxAttachedText  = 64 << 10
	maxAttachedOther = 20 << 20
	maxAttachedFiles = 20
)

// typePDF is the media type of a PDF.
const typePDF = "application/pdf"

// attachedFiles are the files of --attach, which are read, and the files that the prompt of the command line names
// after an @. Only the user names files: a text that is piped in attaches none.
func attachedFiles(disk vfs.FS, given []string, text string) ([]composer.Attachment, error) {
	if len(given) > maxAttachedFiles {
		return nil, cli.NewUsageError(fmt.Errorf("--attach is given %d times, and a prompt has at most %d files", len(given), maxAttachedFiles))
	}
	var all []composer.Attachment
	for _, path := range given {
		f, err := attachedFile(disk, path)
		if err != nil {
			return nil, cli.NewUsageError(fmt.Errorf("--attach %s: %w", path, err))
		}
		all = append(all, f)
	}
	return append(all, exchange.Mentioned(text, ".")...), nil
}

// attachedFile reads a file of --attach.
func attachedFile(disk vfs.FS, path string) (f composer.Attachment, err error) {
	f.Name = filepath.Base(path)
	if f.Data, err = entry.ReadGiven(disk, path, maxAttachedOther); err != nil {
		return f, err
	}
	f.MIME, _, _ = strings.Cut(http.DetectContentType(f.Data), ";")
	f.Image = strings.HasPrefix(f.MIME, "image/")
	isText := utf8.Valid(f.Data) && bytes.IndexByte(f.Data, 0) < 0
	switch {
	case len(f.Data) == 0:
		return f, errors.New("it is empty")
	case f.Image:
		return f, reasonOf(prompt.CheckPicture(f.MIME, f.Data))
	case f.MIME == typePDF:
		return f, nil
	case !isText:
		return f, fmt.Errorf("it is no text, no image and no PDF (%s)", f.MIME)
	case len(f.Data) > maxAttachedText:
		return f, fmt.Errorf("it has %s, and at most %s of text are sent; name it in the prompt as @%s, and the agent reads what it needs of it",
			cli.Size(int64(len(f.Data))), cli.Size(maxAttachedText), path)
	}
	f.MIME = "text/plain"
	return f, nil
}

// reasonOf is an error without the name of the operation.
func reasonOf(err error) error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Err
	}
	return err
}

// attachments are the attachments as the message to a session has them, if its model reads them.
func attachments(ctx context.Context, s *session.Session, files []composer.Attachment) (json.RawMessage, error) {
	for _, f := range files {
		if f.Path != "" || !f.Image && f.MIME != typePDF {
			continue
		}
		to, err := s.Settings().Destination(ctx)
		switch {
		case err != nil:
			return nil, err
		case to.Missing != nil: // the error of the message
		case f.Image && !to.Sight.Pictures:
			return nil, cli.NewUsageError(fmt.Errorf("--attach %s: the model %s reads no images", f.Name, to.Model))
		case !f.Image && !to.Sight.Documents:
			return nil, cli.NewUsageError(fmt.Errorf("--attach %s: the model %s reads no PDFs", f.Name, to.Model))
		}
	}
	return composer.Encoded(files), nil
}
