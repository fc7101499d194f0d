package strict

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// dataURL takes a data URL with base64 content apart.
func dataURL(url string) (kind string, data []byte, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", nil, false
	}
	kind, text, ok := strings.Cut(rest, ";base64,")
	if !ok {
		return "", nil, false
	}
	data, err := base64.StdEncoding.DecodeString(text)
	return kind, data, err == nil
}

// isImage reports whether data is an image of a kind, by its first bytes: vendors look at them and
// compare.
func isImage(kind string, data []byte) bool {
	switch kind {
	case "image/png":
		return bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n"))
	case "image/jpeg":
		return bytes.HasPrefix(data, []byte("\xff\xd8\xff"))
	case "image/gif":
		return bytes.HasPrefix(data, []byte("GIF8"))
	case "image/webp":
		return len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP"
	}
	return false
}

func isPDF(data []byte) bool { return bytes.HasPrefix(data, []byte("%PDF-")) }

// openAIImage checks the address of an image.
// Source: developers.openai.com/api/docs/guides/images-vision ("Image input requirements").
func openAIImage(url, param string) error {
	if strings.HasPrefix(url, "https://") {
		return nil
	}
	kind, data, ok := dataURL(url)
	if !ok {
		return coded("invalid_image_url", param, "Invalid image URL: expected a base64-encoded data URL or an https URL.")
	}
	if !isImage(kind, data) {
		return coded("invalid_image_format", param, "You uploaded an unsupported image. Please make sure your image is valid and has one of the following formats: ['png', 'jpeg', 'gif', 'webp'].")
	}
	return nil
}

// openAIFile checks a file in a prompt.
// Source: developers.openai.com/api/docs/guides/pdf-files ("Base64-encoded files").
func openAIFile(name, url, param string) error {
	kind, data, ok := dataURL(url)
	switch {
	case name == "":
		return coded("missing_required_parameter", param+".filename", "Missing required parameter: '%s.filename'.", param)
	case !ok:
		return coded("invalid_value", param+".file_data", "Invalid '%s.file_data'. Expected a base64-encoded data URL with a MIME type (e.g. 'data:application/pdf;base64,…').", param)
	case kind != "application/pdf" || !isPDF(data):
		return coded("invalid_file", param, "Invalid file data: the file is not a PDF.")
	}
	return nil
}
