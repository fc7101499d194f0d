package app

import "github.com/spf13/cobra"

// commands are what people type. Help lists them by name.
func commands(o *options) []*cobra.Command {
	return []*cobra.Command{
		demoCommand(o), runCommand(o), chatCommand(o), serveCommand(o), sessionsCommand(o), modelsCommand(o), agentCommand(o),
		doctorCommand(o), versionCommand(o),
	}
}
