//go:build !unix

package settings

import "io/fs"

// foreign reports false: the rights of the folder count on this system.
func foreign(fs.FileInfo) bool { return false }
