package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"
)

// TakesBlank is the annotation of a flag for which an empty value means something.
const TakesBlank = "sidestick_takes_blank"

// FallbackFlag adds --fallback.
func (o *Options) FallbackFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Flags.Fallback, "fallback", "", "`models` that take over, in this order, when the model cannot be called: names with commas between them")
}

// ToolSetFlag adds --tool-set.
func (o *Options) ToolSetFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Flags.ToolSet, "tool-set", "", "which built-in `tools` the model is offered: small, full, or auto, which is small for a window below 32,768 tokens (default auto)")
	_ = cmd.RegisterFlagCompletionFunc("tool-set", cobra.FixedCompletions([]string{"auto", "small", "full"}, cobra.ShellCompDirectiveNoFileComp)) // fails for an unknown flag only
}

// DurabilityFlag adds the flag of the commands that write sessions.
func (o *Options) DurabilityFlag(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.Flags.Durability, "durability", "", "`level` of protection against a power cut: turn, always or os (default turn)")
}

// TapeFlags adds the flags about recordings of model calls.
func (o *Options) TapeFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Flags.Tape.Record, "record", "", "record every call of a model in this `file`, for --replay")
	f.StringVar(&o.Flags.Tape.Replay, "replay", "", "answer calls of models from this recording, a `file`; a request that was not recorded fails")
	f.BoolVar(&o.Flags.Tape.Tools, "replay-tools", false, "with --replay, take the results of tools from the recording, too, and run none of them")
}

// PermissionFlags adds the flags that set what tools may do without asking.
func (o *Options) PermissionFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&o.Flags.AllowTools, "allow-tool", nil, "allow, without asking, the calls that this `rule` covers, such as 'shell(go test:*)' or write; repeatable")
	f.StringArrayVar(&o.Flags.DenyTools, "deny-tool", nil, "deny the calls that this `rule` covers; it takes precedence over every other flag; repeatable")
	f.BoolVar(&o.Flags.AllowAll, "allow-all", false, "allow every tool call without asking, unless a rule of --deny-tool denies or may deny it")
	f.BoolVar(&o.Flags.AllPaths, "allow-all-paths", false, "treat every folder like the working directory")
	f.StringArrayVar(&o.Flags.Folders, "add-dir", nil, "treat the files of this `folder` like those of the working directory; repeatable")
	f.StringArrayVar(&o.Flags.Protected, "protect", nil, "ask before a file with this `name` is changed, even if write is allowed, because programs run what it says; repeatable")
	f.BoolVar(&o.Flags.AllowAll, "allow-all-tools", false, "the same as --allow-all")
	f.BoolVar(&o.Flags.AllowAll, "yolo", false, "the same as --allow-all")
	o.sandboxFlags(cmd)
}

// CheckSandboxFlag refuses a mode that is written as a word after --sandbox: the flag takes it
// only behind an equals sign, and the word would count as the first of args. cmd may be any
// command; most have no such flag.
func CheckSandboxFlag(cmd *cobra.Command, args []string) error {
	modes := []string{"workspace-write", "read-only", "on", "off"}
	flag := cmd.Flags().Lookup("sandbox")
	if flag != nil && flag.Changed && flag.Value.String() == flag.NoOptDefVal && len(args) > 0 && slices.Contains(modes, args[0]) {
		return NewUsageError(fmt.Errorf("write --sandbox=%s, with an equals sign: --sandbox alone is workspace-write, and %q would be an argument of %s", args[0], args[0], cmd.CommandPath()))
	}
	return nil
}

// sandboxFlags adds the flags that say how commands are confined.
func (o *Options) sandboxFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.Flags.Sandbox, "sandbox", "", "run commands in a sandbox of this `mode`, also with --allow-all: workspace-write, or read-only")
	f.Lookup("sandbox").NoOptDefVal = "workspace-write"
	f.BoolVar(&o.Flags.NoSandbox, "no-sandbox", false, "run commands outside of any sandbox; also those that only read are asked about")
	f.BoolVar(&o.Flags.AutoAllow, "sandbox-auto-allow", false, "allow, without asking, every command that stays in the sandbox")
	f.StringArrayVar(&o.Flags.Exclude, "sandbox-exclude", nil, "run the commands that this `rule` and an allow rule cover outside the sandbox; repeatable")
	f.BoolVar(&o.Flags.Required, "sandbox-required", false, "deny commands for which no sandbox works on this machine")
	_ = cmd.RegisterFlagCompletionFunc("sandbox", cobra.FixedCompletions([]string{"workspace-write", "read-only"}, cobra.ShellCompDirectiveNoFileComp))
}
