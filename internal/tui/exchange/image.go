package exchange

import (
	"io"
	"os"
	"strings"
)

// signatures are the first bytes of the images that models see. Source: the specifications of the
// formats; the size of a WebP file is left out.
var signatures = [...]struct{ begin, at8, mime string }{
	{"\x89PNG\r\n\x1a\n", "", "image/png"},
	{"\xff\xd8\xff", "", "image/jpeg"},
	{"GIF87a", "", "image/gif"},
	{"GIF89a", "", "image/gif"},
	{"RIFF", "WEBP", "image/webp"},
}

// imageType is the type of an image, "" if the bytes are not one that models see.
func imageType(data []byte) string {
	for _, s := range signatures {
		if strings.HasPrefix(string(data[:min(len(data), 16)]), s.begin) &&
			(s.at8 == "" || len(data) >= 12 && string(data[8:12]) == s.at8) {
			return s.mime
		}
	}
	return ""
}

// imageOf is the type of the image in a file, "" if it is none.
func imageOf(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	var head [16]byte
	n, _ := io.ReadFull(f, head[:])
	return imageType(head[:n])
}
