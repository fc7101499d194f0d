//go:build !unix

package vfs

import "io/fs"

// Foreign reports false: the rights of the folder count on this system.
func Foreign(fs.FileInfo) bool { return false }

// ownersCount reports whether [Strange] compares owners.
const ownersCount = false

func strange(_, _ fs.FileInfo) bool { return false }
