package discovery

import (
	"io/fs"
	"path/filepath"

	"github.com/sidestick-dev/sidestick/internal/fault"
	"github.com/sidestick-dev/sidestick/internal/wire"
)

// Absent returns what a configuration names of folders that do not exist, in words. cwd is the working
// directory of the session with it.
func (f *Finder) Absent(cfg wire.Config, cwd string) (absent []string) {
	look := func(setting string, dirs []string) {
		for _, dir := range dirs {
			at := dir
			if !filepath.IsAbs(at) {
				at = filepath.Join(cwd, at)
			}
			info, err := f.opts.FS.Stat(at)
			if err == nil && !info.IsDir() {
				err = fs.ErrNotExist
			}
			if err != nil {
				absent = append(absent, "the folder "+fault.Bounded(dir)+" ("+setting+")")
			}
		}
	}
	if cfg.WorkingDirectory != "" {
		look("workingDirectory: commands fail there, and a tool that creates a file there creates it", []string{cwd})
	}
	look("skillDirectories", cfg.SkillDirectories)
	look("instructionDirectories", cfg.InstructionDirectories)
	look("agentDirectories", cfg.AgentDirectories)
	return absent
}
