package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/model"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Limits on pictures, from the documentation of providers: they refuse more bytes, and in
// conversations with many pictures also more pixels per side.
const (
	maxImage  = 3 << 20  // bytes; the Copilot API's max_prompt_image_size
	maxSide   = 2000     // pixels
	maxPixels = 40 << 20 // pixels that are decoded, at up to eight bytes each
)

// sendable reports whether models accept pictures of that type.
func sendable(mediaType string) bool {
	return slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, mediaType)
}

// Picture returns the type of a file that begins with these bytes, and whether it is a picture that models take. 512 bytes are
// looked at.
func Picture(head []byte) (mediaType string, ok bool) {
	mediaType = http.DetectContentType(head)
	return mediaType, sendable(mediaType)
}

// CheckPicture returns why models take no picture of these bytes, nil if they do.
func CheckPicture(mediaType string, data []byte) error {
	why := errors.New("models take PNG, JPEG, GIF and WebP")
	if sendable(mediaType) {
		_, _, why = shrink(mediaType, data)
	}
	if why != nil {
		return &fault.Error{Op: "picture", Kind: fault.Invalid, Err: why}
	}
	return nil
}

// isText reports whether a blob can be read as text; SVG can.
func isText(mediaType string, data []byte) bool {
	if sendable(mediaType) || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return false
	}
	base, _, _ := strings.Cut(mediaType, ";")
	switch {
	case strings.HasPrefix(base, "text/"), strings.HasSuffix(base, "+xml"), strings.HasSuffix(base, "+json"):
		return true
	}
	return slices.Contains([]string{"application/json", "application/xml", "application/yaml", "application/javascript", "application/toml", "application/sql", ""}, base)
}

func encode(data []byte) string { return base64.StdEncoding.EncodeToString(data) }

// asItIs returns the actual type of a picture, even if its media type says another, and whether it
// is small enough to be sent unchanged. The error is for the model.
func asItIs(mediaType string, data []byte) (actual string, small bool, err error) {
	small = len(data) <= maxImage
	config, format, err := image.DecodeConfig(bytes.NewReader(data))
	switch {
	case err == nil:
		return "image/" + format, small && config.Width <= maxSide && config.Height <= maxSide, tooMany(config)
	case mediaType == "image/webp" && bytes.HasPrefix(data, []byte("RIFF")):
		return mediaType, small, nil // providers decode it, this package does not
	}
	return "", false, errors.New("it is not a picture, or damaged")
}

func tooMany(c image.Config) error {
	if c.Width <= 0 || c.Height <= 0 || c.Width*c.Height > maxPixels {
		return fmt.Errorf("it has %dx%d pixels, which is too many", c.Width, c.Height)
	}
	return nil
}

// shrink returns a picture with at most [maxImage] bytes and [maxSide] pixels per side: the
// same picture if it is small enough. The error is for the model.
func shrink(mediaType string, data []byte) (string, []byte, error) {
	mediaType, small, err := asItIs(mediaType, data)
	switch {
	case err != nil:
		return "", nil, err
	case small:
		return mediaType, data, nil
	}
	picture, err := decode(mediaType, data)
	if err != nil {
		return "", nil, err
	}
	for side := maxSide; side >= 100; side = side * 3 / 4 {
		picture = scale(picture, side)
		for _, as := range encoders(mediaType) {
			if mediaType, out := as(picture); out != nil && len(out) <= maxImage {
				return mediaType, out, nil
			}
		}
	}
	return "", nil, fmt.Errorf("it cannot be made smaller than %s", bytesShown(maxImage))
}

func decode(mediaType string, data []byte) (picture image.Image, err error) {
	r := bytes.NewReader(data)
	switch mediaType {
	case "image/png":
		picture, err = png.Decode(r)
	case "image/gif":
		picture, err = gif.Decode(r) // the first frame only
	case "image/jpeg":
		picture, err = jpeg.Decode(r)
	default:
		return nil, fmt.Errorf("it has %s, and WebP pictures of more than %s cannot be made smaller", bytesShown(int64(len(data))), bytesShown(maxImage))
	}
	if err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	return picture, nil
}

// encoders returns the ways to encode a picture of a type, the most faithful first.
func encoders(mediaType string) []func(image.Image) (string, []byte) {
	asPNG := func(m image.Image) (string, []byte) {
		var b bytes.Buffer
		if png.Encode(&b, m) != nil {
			return "", nil
		}
		return "image/png", b.Bytes()
	}
	asJPEG := func(m image.Image) (string, []byte) {
		var b bytes.Buffer
		if jpeg.Encode(&b, m, &jpeg.Options{Quality: 80}) != nil {
			return "", nil
		}
		return "image/jpeg", b.Bytes()
	}
	if mediaType == "image/jpeg" {
		return []func(image.Image) (string, []byte){asJPEG}
	}
	return []func(image.Image) (string, []byte){asPNG, asJPEG}
}

// scale returns a smaller picture, with at most side pixels per side. Each new pixel is the
// mean of the pixels that it covers.
func scale(from image.Image, side int) image.Image {
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	if w <= side && h <= side {
		return from
	}
	nw, nh := side, max(1, h*side/w)
	if h > w {
		nw, nh = max(1, w*side/h), side
	}
	to := image.NewNRGBA(image.Rect(0, 0, nw, nh))
	for y := range nh {
		for x := range nw {
			area := image.Rect(b.Min.X+x*w/nw, b.Min.Y+y*h/nh, b.Min.X+max((x+1)*w/nw, x*w/nw+1), b.Min.Y+max((y+1)*h/nh, y*h/nh+1))
			to.Set(x, y, mean(from, area))
		}
	}
	return to
}

func mean(from image.Image, area image.Rectangle) color.Color {
	var r, g, b, a, n uint64
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			pr, pg, pb, pa := from.At(x, y).RGBA()
			r, g, b, a, n = r+uint64(pr), g+uint64(pg), b+uint64(pb), a+uint64(pa), n+1
		}
	}
	return color.RGBA64{uint16(r / n), uint16(g / n), uint16(b / n), uint16(a / n)}
}

// newAsset returns a picture as an asset whose id is derived from its bytes.
func newAsset(mediaType string, data []byte) *wire.BinaryAsset {
	return &wire.BinaryAsset{
		AssetID: fmt.Sprintf("sha256:%x", sha256.Sum256(data)), ByteLength: int64(len(data)), Data: encode(data),
		MIMEType: mediaType, Discriminator: wire.AssetImage,
	}
}

func containsAsset(list []*wire.BinaryAsset, id string) bool {
	return slices.ContainsFunc(list, func(a *wire.BinaryAsset) bool { return a.AssetID == id })
}

// with returns the attachment with a reference to an asset.
func with(item wire.Raw, id string) wire.Raw {
	out := without(item)
	return append(out[:len(out)-1:len(out)-1], `,"assetId":"`+id+`"}`...)
}

func without(item wire.Raw) wire.Raw {
	if item.Get("assetId") == nil {
		return item
	}
	out := []byte{'{'}
	for key, value := range item.Members() {
		if string(key) == "assetId" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), key...), '"', ':'), value...)
	}
	return append(out, '}')
}

// typeDocument is the type of documents that models read themselves.
const typeDocument = "application/pdf"

// maxDocument bounds a document, in bytes. Anthropic takes requests of 32 MB, and base64 adds a
// third.
const maxDocument = 20 << 20

// documentOf returns an attached document; nil for other attachments, and for one that the text of
// the message calls not shown.
func documentOf(item wire.Raw, text string) *model.Document {
	if item.Get("type").Text() != "blob" || item.Get("mimeType").Text() != typeDocument {
		return nil
	}
	name, data := pictureName(item), item.Get("data").Text()
	if strings.Contains(text, unshownStart(name, typeDocument)) {
		return nil
	}
	if base64.StdEncoding.DecodedLen(len(data)) > maxDocument+2 {
		return nil
	}
	return &model.Document{Name: name, MediaType: typeDocument, Data: data}
}
