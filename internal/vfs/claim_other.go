//go:build !linux && !windows && !darwin && !dragonfly && !freebsd && !netbsd && !openbsd

package vfs

import (
	"errors"
	"os"
)

func claim(*os.File, Claim) error { return errors.ErrUnsupported }

func unclaim(*os.File, Claim) {}

func holder(*os.File, Claim) int { return -1 }
