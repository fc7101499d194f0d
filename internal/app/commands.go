package app

import "github.com/spf13/cobra"

// commands are what people type, in the order in which help shows them.
func commands(o *options) []*cobra.Command {
	return []*cobra.Command{
		runCommand(o), sessionsCommand(o), modelsCommand(o), doctorCommand(o), versionCommand(o),
	}
}
