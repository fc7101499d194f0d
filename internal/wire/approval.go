package wire

import (
	"encoding/json"
	"strings"

	"github.com/github/copilot-sdk/go/rpc"
)

// ApprovalRules returns the rules that an approval allows from now on. An approval of a kind
// that this runtime does not ask for yet allows none.
func ApprovalRules(approval Raw) []PermissionRule {
	var rules []PermissionRule
	switch kind := approval.Get("kind").Text(); kind {
	case "commands":
		for id := range approval.Get("commandIdentifiers").Elements() {
			if text := id.Text(); text != "" {
				rules = append(rules, PermissionRule{Kind: "shell", Argument: &text})
			}
		}
	case "read", "write":
		rules = append(rules, PermissionRule{Kind: kind})
	case "mcp":
		if server, tool := approval.Get("serverName").Text(), approval.Get("toolName").Text(); server != "" {
			argument := server
			if tool != "" {
				argument += "(" + tool + ")"
			}
			rules = append(rules, PermissionRule{Kind: kind, Argument: &argument})
		}
	case "custom-tool":
		if name := approval.Get("toolName").Text(); name != "" {
			rules = append(rules, PermissionRule{Kind: kind, Argument: &name})
		}
	}
	return rules
}

// LocationApproval returns the approval in a call of
// session.permissions.locations.addToolApproval.
func LocationApproval(p LocationApprovalParams) []PermissionRule { return approved(p.Approval) }

// approval is the reverse of ApprovalRules; nil if the protocol has no approval with
// exactly this meaning.
func approval(rules []PermissionRule) rpc.UserToolSessionApproval {
	var commands []string
	for _, r := range rules {
		if r.Kind == "shell" && r.Argument != nil {
			commands = append(commands, *r.Argument)
		}
	}
	switch {
	case len(commands) > 0 && len(commands) == len(rules):
		return &rpc.UserToolSessionApprovalCommands{CommandIdentifiers: commands}
	case len(rules) != 1:
		return nil
	case rules[0].Kind == "read" && rules[0].Argument == nil:
		return &rpc.UserToolSessionApprovalRead{}
	case rules[0].Kind == "write" && rules[0].Argument == nil:
		return &rpc.UserToolSessionApprovalWrite{}
	case rules[0].Kind == "custom-tool" && rules[0].Argument != nil:
		return &rpc.UserToolSessionApprovalCustomTool{ToolName: *rules[0].Argument}
	case rules[0].Kind == "mcp" && rules[0].Argument != nil:
		return serverApproval(*rules[0].Argument)
	}
	return nil
}

// serverApproval is the approval for a rule about an MCP server: "server" or "server(tool)".
func serverApproval(argument string) rpc.UserToolSessionApproval {
	if rest, ok := strings.CutSuffix(argument, ")"); ok {
		if i := strings.LastIndexByte(rest, '('); i > 0 {
			tool := rest[i+1:]
			return &rpc.UserToolSessionApprovalMCP{ServerName: rest[:i], ToolName: &tool}
		}
	}
	return &rpc.UserToolSessionApprovalMCP{ServerName: argument}
}

// ApprovedBeyond returns the result of a permission request that was approved for more than
// this call: for a session or, with a key, for a location. If the protocol has no approval
// for the rules (addresses, single paths), the result is a plain approval with an additional
// field for the rules, which clients ignore and a resume reads.
func ApprovedBeyond(rules []PermissionRule, locationKey string) PermissionResult {
	switch a := approval(rules); {
	case a == nil && len(rules) == 0:
		return &PermissionApproved{}
	case a == nil:
		raw, err := json.Marshal(struct {
			Kind  string           `json:"kind"`
			Rules []PermissionRule `json:"rules"`
		}{"approved", rules})
		if err != nil {
			return &PermissionApproved{}
		}
		return &rpc.RawPermissionResult{Discriminator: "approved", Raw: raw}
	case locationKey != "":
		return &PermissionApprovedForLocation{Approval: a, LocationKey: locationKey}
	default:
		return &PermissionApprovedForSession{Approval: a}
	}
}

// ResultRules returns the rules that the result of a permission request allows from
// then on.
func ResultRules(result Raw) []PermissionRule {
	rules := ApprovalRules(result.Get("approval"))
	if result.Get("kind").Text() == "approved" {
		return append(rules, RulesOf(result.Get("rules"))...)
	}
	return rules
}

// RulesOf reads a list of rules as events carry it. Elements that are not rules are
// left out.
func RulesOf(list Raw) []PermissionRule {
	var rules []PermissionRule
	for r := range list.Elements() {
		rule := PermissionRule{Kind: r.Get("kind").Text()}
		if a := r.Get("argument"); a.IsString() {
			text := a.Text()
			rule.Argument = &text
		}
		if rule.Kind != "" {
			rules = append(rules, rule)
		}
	}
	return rules
}

// PermissionsChanged returns a session.permissions_changed event. If the rules approved for
// the session have changed, approvals has all of them; they are a field of this program,
// which clients ignore.
func PermissionsChanged(previous, now PermissionMode, approvals *[]PermissionRule) Data {
	if approvals == nil {
		return &rpc.SessionPermissionsChangedData{PreviousMode: &previous, Mode: &now}
	}
	raw, err := Marshal(struct {
		PreviousMode PermissionMode   `json:"previousMode"`
		Mode         PermissionMode   `json:"mode"`
		Approvals    []PermissionRule `json:"approvals"`
	}{previous, now, *approvals})
	if err != nil {
		return &rpc.SessionPermissionsChangedData{PreviousMode: &previous, Mode: &now}
	}
	return &RawData{EventType: rpc.SessionEventTypeSessionPermissionsChanged, Raw: raw}
}
