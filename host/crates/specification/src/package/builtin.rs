//! The packages that pravo brings along: settings, meta fields of groups, plans for policies.

/// Import path of the settings package.
pub const SETTINGS: &str = "pravo.dev/settings";
/// Import path of the package for groups.
pub const META: &str = "pravo.dev/meta";
/// Import path of the package for policies.
pub const POLICY: &str = "pravo.dev/policy";

const SETTINGS_TEXT: &str = r#"// Package settings describes the $settings field of a root.
package settings

#Settings: {
	// Default refresh age of every resource: "always", "never" or a number with a unit (ms, s, m, h, d).
	refresh: *"always" | string
	// Operations in flight.
	parallelism: *10 | int & >=1
	// Where the state lives.
	state: redb: path: *"pravo.state" | string
	// Version constraint on pravo itself.
	pravo?: string
}
"#;

const META_TEXT: &str = r#"// Package meta has the meta fields of groups, for closed definitions to embed.
package meta

// A group of resources: #Web: {meta.#Group, ...}.
#Group: {
	// The address that the group had before.
	$from?: string
}
"#;

const POLICY_TEXT: &str = r#"// Package policy describes the plan that a policy is unified with.
package policy

#Plan: {
	// What changes, by address.
	resources: [string]: #Change
	summary:   #Summary
}

#Action: "no-op" | "create" | "read" | "update" | "delete-then-create" | "create-then-delete" | "delete" | "delete-deposed" | "forget"

#Change: {
	action: #Action
	// The resource type.
	type: string
	// The provider package.
	provider: string
	// The attributes before; null where there is no object.
	before: _
	// The attributes after; null where there is no object.
	after: _
	// The attributes that force a replacement.
	replaces: [...string]
	// Why.
	reason: string
	...
}

#Summary: {
	add:     int
	change:  int
	destroy: int
	import:  int
}

// A value that is known only after the apply.
#Unknown: {
	@host(unknown)
	value: _
}
"#;

/// The text of a package of pravo's own.
pub fn builtin(import_path: &str) -> Option<&'static str> {
    match import_path {
        SETTINGS => Some(SETTINGS_TEXT),
        META => Some(META_TEXT),
        POLICY => Some(POLICY_TEXT),
        _ => None,
    }
}
