package discovery

import "github.com/sidestick-dev/sidestick/internal/wire"

// Settings is what a client configures about discovery. The zero value is the default:
// instructions are read, and skills are looked for in the user's folder.
type Settings struct {
	// InstructionDirectories and SkillDirectories are searched too; relative ones
	// begin at the working directory.
	InstructionDirectories, SkillDirectories []string
	// Organization is instructions that came without a file.
	Organization string
	// SkipInstructions reads no instruction files, NoSkills no skills.
	SkipInstructions, NoSkills bool
	// DiscoverSkills looks for skills in the project too.
	DiscoverSkills bool
	// DisabledSkills are off, beside those that the user has turned off.
	DisabledSkills []string
}

// Configure takes over what a client's configuration sets; what is absent stays.
func (s *Settings) Configure(cfg wire.Config) {
	if cfg.InstructionDirectories != nil {
		s.InstructionDirectories = cfg.InstructionDirectories
	}
	if cfg.OrganizationInstructions != "" {
		s.Organization = cfg.OrganizationInstructions
	}
	if cfg.SkillDirectories != nil {
		s.SkillDirectories = cfg.SkillDirectories
	}
	if cfg.DisabledSkills != nil {
		s.DisabledSkills = cfg.DisabledSkills
	}
	if cfg.SkipCustomInstructions != nil {
		s.SkipInstructions = *cfg.SkipCustomInstructions
	}
	if cfg.EnableConfigDiscovery != nil {
		s.DiscoverSkills = *cfg.EnableConfigDiscovery
	}
	if cfg.EnableSkills != nil {
		s.NoSkills = !*cfg.EnableSkills
	}
}
