package tool

// smallTexts are the tools of the small set, whose definitions have files of their own.
var smallTexts = [...]described{
	{name: "bash", files: "bash.small"},
	{name: "view", files: "view.small"},
	{name: "create", files: "create.small"},
	{name: "edit", files: "edit.small"},
	{name: "grep", files: "grep.small"},
	{name: "glob", files: "glob.small"},
	{name: "read_bash", files: "read_bash.small"},
	{name: "stop_bash", files: "stop_bash.small"},
}

// Small returns the definition by which a built-in tool is offered in the small set, for models with little
// room: the same tool, of which the model reads less. Arguments that the short schema leaves out work
// as ever. false if the small set does not have the tool.
func Small(d Definition) (Definition, bool) {
	if d.Origin != Builtin {
		return d, false
	}
	for i := range smallTexts {
		if t := &smallTexts[i]; t.name == d.Name {
			short := t.Get()
			d.Description, d.Parameters = short.Description, short.Parameters
			return d, true
		}
	}
	return d, false
}
