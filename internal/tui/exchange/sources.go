package exchange

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// source is a program that reads the clipboard.
type source struct {
	program string
	install string                      // what the user does if it is missing
	kinds   []string                    // arguments that print what there is, nil if it cannot tell
	image   func(kinds string) []string // arguments that print the image, nil for none
	files   func(kinds string) []string // arguments that print paths or addresses of files, nil for none
	decode  func(printed []byte) []byte // the image in what is printed, nil if it is printed as it is
}

// source is the program for the system, and on Linux for the display.
func (c *Clipboard) source() (*source, error) {
	switch {
	case c.GOOS == "darwin":
		return osascript(), nil
	case c.GOOS == "windows":
		return powershell("powershell"), nil
	case c.Getenv("WAYLAND_DISPLAY") != "":
		return wlPaste(), nil
	case c.Getenv("DISPLAY") != "":
		return xclip(), nil
	case c.Getenv("WSL_DISTRO_NAME") != "":
		return powershell("powershell.exe"), nil
	}
	return nil, failed("Clipboard.Read", "", errors.New("there is no clipboard: neither WAYLAND_DISPLAY nor DISPLAY is set"),
		"over ssh, copy the image to this machine and paste the path of the file")
}

// preferred is the first type of image that is in a list of types, one a line.
func preferred(kinds string) string {
	for _, mime := range []string{"image/png", "image/jpeg", "image/webp", "image/gif"} {
		for line := range strings.Lines(kinds) {
			if strings.TrimSpace(line) == mime {
				return mime
			}
		}
	}
	return ""
}

// listed makes arguments for the preferred type of image, or for the list of files.
func listed(args func(kind string) []string) (image, files func(kinds string) []string) {
	image = func(kinds string) []string {
		if kind := preferred(kinds); kind != "" {
			return args(kind)
		}
		return nil
	}
	files = func(kinds string) []string {
		if strings.Contains(kinds, "text/uri-list") {
			return args("text/uri-list")
		}
		return nil
	}
	return image, files
}

func wlPaste() *source {
	s := &source{program: "wl-paste", install: "install wl-clipboard, or paste the path of a file", kinds: []string{"--list-types"}}
	s.image, s.files = listed(func(kind string) []string { return []string{"--no-newline", "--type", kind} })
	return s
}

func xclip() *source {
	s := &source{program: "xclip", install: "install xclip, or paste the path of a file", kinds: []string{"-selection", "clipboard", "-t", "TARGETS", "-o"}}
	s.image, s.files = listed(func(kind string) []string { return []string{"-selection", "clipboard", "-t", kind, "-o"} })
	return s
}

// always gives the same arguments, whatever there is.
func always(args ...string) func(string) []string { return func(string) []string { return args } }

func osascript() *source {
	return &source{
		program: "osascript", install: "it is a part of macOS: check PATH",
		image:  always("-e", "the clipboard as «class PNGf»"),
		files:  always("-e", "POSIX path of (the clipboard as «class furl»)"),
		decode: appleData,
	}
}

// appleData is the bytes of «data PNGf89504E…», as AppleScript prints them.
func appleData(printed []byte) []byte {
	_, digits, ok := bytes.Cut(printed, []byte("«data PNGf"))
	digits, _, closed := bytes.Cut(digits, []byte("»"))
	if !ok || !closed {
		return nil
	}
	data, err := hex.DecodeString(string(digits))
	if err != nil {
		return nil
	}
	return data
}

func powershell(program string) *source {
	const load = "Add-Type -AssemblyName System.Windows.Forms,System.Drawing; [Console]::OutputEncoding=[Text.Encoding]::UTF8; "
	return &source{
		program: program, install: "it is a part of Windows: check PATH",
		image: always("-NoProfile", "-NonInteractive", "-STA", "-Command", load+
			"$i=[Windows.Forms.Clipboard]::GetImage(); if($i){$m=New-Object IO.MemoryStream; $i.Save($m,[Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray())}"),
		files: always("-NoProfile", "-NonInteractive", "-STA", "-Command", load+
			"[Windows.Forms.Clipboard]::GetFileDropList() | ForEach-Object {$_}"),
		decode: base64Data,
	}
}

// base64Data is the bytes of a text in base 64, nil if it is none.
func base64Data(printed []byte) []byte {
	data, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(printed)))
	if err != nil {
		return nil
	}
	return data
}
