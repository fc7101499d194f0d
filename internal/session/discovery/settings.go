package discovery

import "github.com/sidestick-dev/sidestick/internal/wire"

// Settings are a client's settings for discovery. The zero value is the default:
// instructions are read, and skills are read from the user's folder.
type Settings struct {
	// InstructionDirectories, SkillDirectories and AgentDirectories are searched as well. Relative paths
	// are relative to the working directory.
	InstructionDirectories, SkillDirectories, AgentDirectories []string
	// Organization holds instructions that are not from a file.
	Organization string
	// SkipInstructions reads no instruction files. [Settings.Configure] does not set it, because
	// the log of the session keeps it.
	SkipInstructions bool
	// DisabledInstructions are ids of instructions that the model does not read.
	DisabledInstructions []string
	// NoSkills reads no skills.
	NoSkills bool
	// DiscoverSkills also finds skills in the project.
	DiscoverSkills bool
	// PluginDirectories are folders of plugins. Relative paths are relative to the working
	// directory.
	PluginDirectories []string
	// NoInstalledPlugins leaves out the plugins that the user has installed.
	NoInstalledPlugins bool
	// Provider gives the skills of a client; nil: none does.
	Provider wire.SkillProvider
	// DisabledSkills are off, in addition to those that the user has turned off.
	DisabledSkills []string
}

// Configure applies a client's configuration; absent fields stay unchanged.
func (s *Settings) Configure(cfg wire.Config) {
	if cfg.InstructionDirectories != nil {
		s.InstructionDirectories = cfg.InstructionDirectories
	}
	if cfg.OrganizationInstructions != nil {
		s.Organization = *cfg.OrganizationInstructions
	}
	if cfg.DisabledInstructions != nil {
		s.DisabledInstructions = cfg.DisabledInstructions
	}
	if cfg.SkillDirectories != nil {
		s.SkillDirectories = cfg.SkillDirectories
	}
	if cfg.AgentDirectories != nil {
		s.AgentDirectories = cfg.AgentDirectories
	}
	if cfg.PluginDirectories != nil {
		s.PluginDirectories = cfg.PluginDirectories
	}
	if cfg.InstalledPlugins != nil {
		s.NoInstalledPlugins = len(cfg.InstalledPlugins) == 0
	}
	if has := cfg.HasSkillProvider; cfg.SkillProvider != nil || has != nil && !*has {
		s.Provider = cfg.SkillProvider
	}
	if cfg.DisabledSkills != nil {
		s.DisabledSkills = cfg.DisabledSkills
	}
	if cfg.EnableConfigDiscovery != nil {
		s.DiscoverSkills = *cfg.EnableConfigDiscovery
	}
	if cfg.EnableSkills != nil {
		s.NoSkills = !*cfg.EnableSkills
	}
}
