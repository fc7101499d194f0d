//go:build !linux

package vfs

import (
	"errors"
	"os"
)

func syncAll(*os.File) error { return errors.ErrUnsupported }
