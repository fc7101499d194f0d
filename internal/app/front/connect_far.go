package front

import (
	"os"

	"github.com/sidestick-dev/sidestick/internal/tui/composer"
	"github.com/sidestick-dev/sidestick/internal/tui/exchange"
)

// maxSent bounds an image that is sent to a server, in bytes.
const maxSent = 10 << 20

// pastedFar are the images that a pasted text names, with their content: a server on another machine
// does not have the files. Other files are on this machine only, and their names stay text.
func pastedFar(text string) (images []composer.Attachment) {
	for _, f := range exchange.Pasted(text, userHome()) {
		info, err := os.Stat(f.Path)
		if err != nil || !f.Image || info.Size() > maxSent {
			return nil
		}
		if f.Data, err = os.ReadFile(f.Path); err != nil {
			return nil
		}
		f.Path = ""
		images = append(images, f)
	}
	return images
}
