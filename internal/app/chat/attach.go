package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
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

// attachedFiles returns the files of --attach, which are read, and the files that the prompt of the command line names
// after an @, with a warning about those of the prompt that are too many. Only the user names files: a text that is piped
// in attaches none.
func attachedFiles(disk vfs.FS, given []string, text string) (all []composer.Attachment, warning string, err error) {
	if len(given) > maxAttachedFiles {
		return nil, "", cli.NewUsageError(fmt.Errorf("--attach is given %d times, and a prompt has at most %d files", len(given), maxAttachedFiles))
	}
	for _, path := range given {
		f, err := attachedFile(disk, path)
		if err != nil {
			return nil, "", cli.NewUsageError(fmt.Errorf("--attach %s: %w", path, err))
		}
		all = append(all, f)
	}
	mentioned, warning := exchange.Mentioned(text, ".")
	for _, f := range mentioned {
		f.Image = !f.Folder && isPicture(disk, f.Path)
		all = append(all, f)
	}
	return all, warning, nil
}

// isPicture reports whether a session sends a file as a picture. A file that cannot be read counts as none, and the session reports it.
func isPicture(disk vfs.FS, path string) bool {
	f, err := disk.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return false
	}
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head) // a file may be shorter
	_ = f.Close()                // nothing was written to it
	_, ok := prompt.Picture(head[:n])
	return ok
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
		if !f.Image && f.MIME != typePDF {
			continue
		}
		by := "--attach " + f.Name
		if f.Path != "" {
			by = "@" + f.Name
		}
		to, err := s.Settings().Destination(ctx)
		switch {
		case err != nil:
			return nil, err
		case to.Missing != nil: // the error of the message
		case f.Image && !to.Sight.Pictures:
			return nil, cli.NewUsageError(fmt.Errorf("%s: the model %s reads no images", by, to.Model))
		case !f.Image && !to.Sight.Documents:
			return nil, cli.NewUsageError(fmt.Errorf("%s: the model %s reads no PDFs", by, to.Model))
		}
	}
	return composer.Encoded(files), nil
}
